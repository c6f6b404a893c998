import { type AddressPolicy, type Reach } from '@hosting/core/network'
import { reachOf } from '@hosting/core/webhooks'
import http from 'node:http'
import https from 'node:https'
import net, { isIP, type Socket } from 'node:net'
import type { LookupAddress } from 'node:dns'
import { connectStaggered, type Connected } from './connect-staggered.ts'
import { ConnectionError } from './connection-error.ts'
import type { Connecting, RequestLookup } from './lookup-function.ts'

/** Agents through which a request can only reach permitted addresses. */
export interface GuardedAgents {
  readonly http: http.Agent
  readonly https: https.Agent
  destroy(): void
}

/** The agent's options that the guard reads and sets. `host` has no brackets. */
interface ConnectOptions {
  readonly host?: string
  readonly lookup?: RequestLookup | undefined
  /** A connection on which TLS starts. */
  readonly socket?: Socket
}

/** Starts a connection. It may throw. */
type Connect = (options: ConnectOptions) => Socket

/**
 * Creates agents that check each connection at up to three points: every address that the name resolves to, or the
 * address literal; each address before it is connected to; and the address that was finally connected. Pooled
 * connections were checked when they were opened. The addresses of a name are tried as `connect-staggered.ts` says.
 *
 * @param options - `keepAlive`: whether connections are pooled. `idleMs`: how long a pooled
 *   connection may stay unused, because a receiver that never closes would hold a descriptor
 *   forever.
 */
export function createGuardedAgents(
  policy: AddressPolicy,
  { keepAlive, idleMs = 60_000 }: { keepAlive: boolean; idleMs?: number },
): GuardedAgents {
  const options = {
    keepAlive,
    maxFreeSockets: 256,
    scheduling: 'lifo',
    timeout: idleMs,
  } as const
  const agents = { http: new http.Agent(options), https: new https.Agent(options) }
  guard(agents.http, 'http:', policy)
  guard(agents.https, 'https:', policy)
  return {
    ...agents,
    destroy() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

function guard(agent: http.Agent, protocol: string, policy: AddressPolicy): void {
  const start = agent.createConnection.bind(agent) as unknown as Connect
  const guarded = (options: ConnectOptions, connected: Connected): Socket | undefined => {
    const { host = '', lookup } = options
    const checks = { policy, reach: reachOf(protocol, host) }
    if (isIP(host)) {
      if (policy.permits(host, checks.reach)) return checkWhenConnected(start(options), checks)
      // Like a failed connection, after the request has its listeners.
      process.nextTick(() => connected(notPublic(host)))
      return undefined
    }
    const connecting: Connecting = {}
    const open = (by: Connect, { address }: LookupAddress): Socket => {
      requirePermitted(address, checks)
      return checkWhenConnected(by({ ...options, host: address, lookup: undefined }), checks)
    }
    const finish = (socket: Socket): Socket =>
      protocol === 'https:' ? start({ ...options, socket }) : socket
    const connectTo = (addresses: readonly LookupAddress[]): void => {
      // A name is refused if any of its addresses is.
      for (const { address } of addresses) requirePermitted(address, checks)
      if (addresses.length === 1) return connected(null, open(start, addresses[0]!))
      connecting.cancel = connectStaggered(
        addresses,
        (address) => open(net.connect as Connect, address),
        unlessThrown(connected, (socket: Socket) => connected(null, finish(socket))),
      )
    }
    lookup!(host, { all: true, connecting }, unlessThrown(connected, connectTo))
    return undefined
  }
  Object.assign(agent, { createConnection: guarded })
}

interface Checks {
  readonly policy: AddressPolicy
  readonly reach: Reach
}

function requirePermitted(address: string, { policy, reach }: Checks): void {
  if (!policy.permits(address, reach)) throw notPublic(address)
}

function checkWhenConnected(socket: Socket, { policy, reach }: Checks): Socket {
  return socket.once('connect', () => {
    const { remoteAddress = '' } = socket
    if (!policy.permits(remoteAddress, reach)) socket.destroy(notPublic(remoteAddress))
  })
}

/** A callback that reports its error, and what `use` throws, as the error of the connection. */
const unlessThrown =
  <T>(connected: Connected, use: (value: T) => void) =>
  (error: Error | null, value?: T): void => {
    if (error) return connected(error)
    try {
      use(value!)
    } catch (thrown) {
      connected(thrown as Error)
    }
  }

const notPublic = (address: string): ConnectionError =>
  new ConnectionError(
    'address_not_public',
    `Connections to the address ${address} are not allowed.`,
  )
