import { type AddressPolicy, type Reach } from '@hosting/core/network'
import { reachOf } from '@hosting/core/webhooks'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { LookupAddress } from 'node:dns'
import type { Duplex } from 'node:stream'
import { ConnectionError } from './connection-error.ts'

/** Agents through which a request can only reach permitted addresses. */
export interface GuardedAgents {
  readonly http: http.Agent
  readonly https: https.Agent
  destroy(): void
}

/** The agent's options that the guard reads. `host` has no brackets. */
interface ConnectOptions {
  host?: string
  lookup?: LookupFunction
}

type Connected = (error: Error | null, socket?: Duplex) => void
type Connect = (options: ConnectOptions, connected: Connected) => Duplex | null | undefined

/**
 * Creates agents that check each connection at up to three points: an address literal before it is opened
 * (Node never calls `lookup` for one), every address that the name resolves to, and the address
 * that was finally connected. Pooled connections were checked when they were opened.
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
  const connect: Connect = agent.createConnection.bind(agent)
  const guarded: Connect = (options, connected) => {
    const host = options.host ?? ''
    const reach = reachOf(protocol, host)
    if (isIP(host) && !policy.permits(host, reach)) {
      // Like a failed connection, after the request has its listeners.
      process.nextTick(() => connected(notPublic(host)))
      return null
    }
    const checked = { ...options, lookup: checkingLookup(options.lookup!, policy, reach) }
    const socket = connect(checked, connected) as Socket | null | undefined
    socket?.once('connect', () => {
      const { remoteAddress = '' } = socket
      if (!policy.permits(remoteAddress, reach)) socket.destroy(notPublic(remoteAddress))
    })
    return socket
  }
  Object.assign(agent, { createConnection: guarded })
}

/** Refuses a name with several addresses if any of them is not permitted. */
function checkingLookup(
  lookup: LookupFunction,
  policy: AddressPolicy,
  reach: Reach,
): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const all = (addresses as unknown as LookupAddress[] | undefined) ?? []
      const refused = all.find(({ address }) => !policy.permits(address, reach))
      if (error) callback(error, [])
      else if (refused) callback(notPublic(refused.address), [])
      else if (options.all) callback(null, all)
      else callback(null, all[0]!.address, all[0]!.family)
    })
  }
}

const notPublic = (address: string): ConnectionError =>
  new ConnectionError(
    'address_not_public',
    `Connections to the address ${address} are not allowed.`,
  )
