import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy on 127.0.0.1. */
export interface Proxy {
  /** The server's URL through this proxy. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Starts a proxy in front of the server of a URL. If no server listens there, connections break immediately.
 *
 * @param toUrl - called for every connection.
 * @param onData - called with what a client sends.
 * @param passResponses - forwards the server's replies to the client.
 */
export async function startProxy(
  toUrl: () => string,
  onData: (client: Socket, chunk: Buffer) => void = () => undefined,
  passResponses: (upstream: Socket, client: Socket) => void = (upstream, client) =>
    void upstream.pipe(client),
): Promise<Proxy> {
  const sockets = new Set<Socket>()
  const server = net.createServer((client) => {
    const { port, hostname } = new URL(toUrl())
    const upstream = net.connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true).on('error', () => undefined)
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.pipe(upstream)
    passResponses(upstream, client)
    client.on('data', (chunk: Buffer) => onData(client, chunk))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(toUrl())
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Starts a proxy in front of a Redis that replaces the replies to a client's first INFO commands.
 *
 * @param change - receives the number of the INFO, from 1; resolves to the replacement, if any.
 */
export async function startInfoProxy(
  serverUrl: string,
  change: (number: number) => Promise<string | undefined>,
): Promise<Proxy> {
  let infos = 0
  return startProxy(
    () => serverUrl,
    undefined,
    (replies, client) => {
      let asked: Promise<string | undefined> = Promise.resolve(undefined)
      client.on('data', (chunk: Buffer) => {
        if (/\$4\r\ninfo\r\n/i.test(chunk.toString('latin1'))) asked = change((infos += 1))
      })
      const pass = async (waitsFor: typeof asked, chunk: Buffer): Promise<void> => {
        client.write((await waitsFor) ?? chunk)
        replies.resume()
      }
      replies.on('data', (chunk: Buffer) => {
        replies.pause()
        const waitsFor = asked
        asked = Promise.resolve(undefined)
        void pass(waitsFor, chunk)
      })
    },
  )
}

/** A proxy that records what a process sends to a server. */
export interface WireTap extends Proxy {
  /** What was sent to the server since the last call, as Latin-1 text, by connection. */
  take(): string[]
}

/** Starts a recording proxy in front of the server of a URL. */
export async function startWireTap(serverUrl: string): Promise<WireTap> {
  const sent = new Map<Socket, Buffer[]>()
  const proxy = await startProxy(
    () => serverUrl,
    (client, chunk) => {
      const chunks = sent.get(client) ?? []
      chunks.push(chunk)
      sent.set(client, chunks)
    },
  )
  return {
    ...proxy,
    take: () =>
      [...sent.values()].flatMap((chunks) => {
        const text = Buffer.concat(chunks.splice(0)).toString('latin1')
        return text === '' ? [] : [text]
      }),
  }
}

/** The names of the commands that were sent to Redis. */
export const redisCommandsIn = (texts: readonly string[]): string[] =>
  texts.flatMap((text) =>
    [...text.matchAll(/(?:^|\r\n)\*\d+\r\n\$\d+\r\n(\w+)/g)].map(([, name]) => name!.toLowerCase()),
  )

/** The statements that were sent to PostgreSQL after the startup, one entry per execution. */
export function statementsIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const statements: string[] = []
    let unnamed = ''
    for (let at = 0; at + 5 <= text.length;) {
      const length = Buffer.from(text.slice(at + 1, at + 5), 'latin1').readUInt32BE()
      const body = text.slice(at + 5, at + 1 + length)
      const [first = '', second = ''] = body.split('\0')
      // Q: a simple query; P: a named or unnamed statement; B: binds values before it is executed.
      if (text[at] === 'Q') statements.push(first)
      if (text[at] === 'P') statements.push(`parse ${first} ${second}`)
      if (text[at] === 'P' && first === '') unnamed = second
      if (text[at] === 'B') statements.push(`bind ${second || unnamed}`)
      at += 1 + length
    }
    return statements
  })
}
