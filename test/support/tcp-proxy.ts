import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'

/** The direction of the bytes of a connection. */
export type Direction = 'to server' | 'to client'

/** Which bytes an error affects. */
export interface ErrorScope {
  /** Both by default. */
  readonly direction?: Direction
  /** `open`: the connections that are open now, while new ones work. `all`: new ones too. */
  readonly connections?: 'open' | 'all'
}

/** A TCP proxy on 127.0.0.1 in front of a server, which imitates the errors of a network. */
export interface TcpProxy {
  /** The server's URL through this proxy. */
  readonly url: string
  /**
   * Makes connections silent, without FIN or RST, like a firewall that has forgotten them: bytes are acknowledged and
   * discarded, and neither side learns that the other one closes. Affects open connections by default.
   */
  silence(scope?: ErrorScope): void
  /** Delays the bytes of each direction, in ms. 0 ends the delay. */
  delay(ms: number): void
  /** Resets every connection, open or new, once this number of further bytes has passed. */
  cutAfter(bytes: number, direction?: Direction): void
  /** Resets the open connections. */
  reset(): void
  /** Resets the open connections, and every new one immediately. */
  sever(): void
  /** Connections that are opened from now on work. Those that are silent remain so. */
  admit(): void
  /** Ends all errors. Connections that were silent are reset. */
  restore(): void
  close(): Promise<void>
}

/** Hooks of a proxy. */
export interface TcpProxyHooks {
  /** Called with what a client sends. */
  readonly onSent?: (client: Socket, chunk: Buffer) => void
  /** Returns what the client receives instead of a chunk from the server. */
  readonly changeReceived?: (client: Socket, chunk: Buffer) => Promise<Buffer | string>
}

/**
 * Starts a proxy in front of the server of a URL. If no server listens there, connections break immediately.
 *
 * @param toUrl - called for every connection.
 */
export async function startTcpProxy(
  toUrl: () => string,
  hooks: TcpProxyHooks = {},
): Promise<TcpProxy> {
  const state: State = { links: new Set(), errors: noErrors, silentFromStart: new Set() }
  const server = net.createServer((client) => {
    client.on('error', () => undefined)
    if (state.errors.isSevered) client.resetAndDestroy()
    else connectThrough(client, { url: new URL(toUrl()), state, hooks })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(toUrl())
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    ...controlsOf(state),
    async close() {
      for (const { client, upstream } of state.links) {
        client.destroy()
        upstream.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Connects a client to the server and forwards both directions. */
function connectThrough(
  client: Socket,
  { url, state, hooks }: { url: URL; state: State; hooks: TcpProxyHooks },
): void {
  const { links } = state
  const upstream = net.connect(Number(url.port), url.hostname.replace(/^\[(.*)\]$/, '$1'))
  const link: Link = { client, upstream, silent: new Set(state.silentFromStart) }
  links.add(link)
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true).on('error', () => undefined)
    socket.once('close', () => client.destroyed && upstream.destroyed && links.delete(link))
  }
  client.on('data', (chunk: Buffer) => hooks.onSent?.(client, chunk))
  forward(link, 'to server', () => state.errors)
  forward(link, 'to client', () => state.errors, hooks.changeReceived)
}

function controlsOf(state: State): Omit<TcpProxy, 'url' | 'close'> {
  const { links, silentFromStart } = state
  const set = (errors: Partial<Errors>): void => {
    state.errors = { ...state.errors, ...errors }
  }
  const reset = (affected: Iterable<Link> = links): void => {
    for (const link of affected) resetLink(link)
  }
  return {
    silence({ direction, connections = 'open' } = {}) {
      for (const each of direction ? [direction] : directions) {
        for (const { silent } of links) silent.add(each)
        if (connections === 'all') silentFromStart.add(each)
      }
    },
    delay: (delayMs) => set({ delayMs }),
    cutAfter: (bytes, direction) => set({ cut: { bytes, direction, passed: new Map() } }),
    reset: () => reset(),
    sever() {
      set({ isSevered: true })
      reset()
    },
    admit: () => silentFromStart.clear(),
    restore() {
      state.errors = noErrors
      silentFromStart.clear()
      reset([...links].filter(({ silent }) => silent.size > 0))
    },
  }
}

const directions: readonly Direction[] = ['to server', 'to client']

/** A connection of a client, and the one to the server. */
interface Link {
  readonly client: Socket
  readonly upstream: Socket
  readonly silent: Set<Direction>
}

interface State {
  readonly links: Set<Link>
  errors: Errors
  /** The directions in which new connections are silent. */
  readonly silentFromStart: Set<Direction>
}

interface Errors {
  readonly delayMs: number
  readonly isSevered: boolean
  readonly cut?: {
    readonly bytes: number
    readonly direction: Direction | undefined
    readonly passed: Map<Link, number>
  }
}

const noErrors: Errors = { delayMs: 0, isSevered: false }

function resetLink({ client, upstream }: Link): void {
  client.resetAndDestroy()
  upstream.resetAndDestroy()
}

/** Forwards one direction of a connection, with the errors at the time of each chunk. */
function forward(
  link: Link,
  direction: Direction,
  errors: () => Errors,
  change?: TcpProxyHooks['changeReceived'],
): void {
  const { client, upstream, silent } = link
  const [from, to] = direction === 'to server' ? [client, upstream] : [upstream, client]
  let turn: Promise<void> = Promise.resolve()

  const inTurn = (work: () => Promise<void>): void => {
    const { delayMs } = errors()
    const atLeast = new Promise((resolve) =>
      delayMs > 0 ? setTimeout(resolve, delayMs) : resolve(0),
    )
    turn = turn.then(() => atLeast).then(work)
  }

  async function pass(chunk: Buffer): Promise<void> {
    const changed = change ? await change(client, chunk) : chunk
    if (silent.has(direction)) return
    const left = bytesLeft(link, direction, errors(), chunk.length)
    if (left >= chunk.length) return await write(to, changed)
    await write(to, chunk.subarray(0, left))
    resetLink(link)
  }

  from.on('data', (chunk: Buffer) => inTurn(() => pass(chunk)))
  from.on('end', () => inTurn(async () => void (silent.has(direction) || to.end())))
  from.once('close', (isBroken) =>
    inTurn(async () => {
      if (silent.has(direction)) return
      if (isBroken) to.resetAndDestroy()
      else to.destroy()
    }),
  )
}

/** How many bytes of a chunk pass before the connection is cut. */
function bytesLeft(link: Link, direction: Direction, { cut }: Errors, length: number): number {
  if (!cut || (cut.direction ?? direction) !== direction) return length
  const passed = cut.passed.get(link) ?? 0
  cut.passed.set(link, passed + length)
  return Math.max(0, cut.bytes - passed)
}

/** Resolves when the bytes have left, or never will. */
const write = (socket: Socket, chunk: Buffer | string): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed || !socket.writable) resolve()
    else socket.write(chunk, () => resolve())
  })
