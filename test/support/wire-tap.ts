import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy that sees what a process sends to a server. */
export interface WireTap {
  /** The server's URL by way of this proxy. */
  readonly url: string
  /** What was sent to the server since the last call, as Latin-1 text, by connection. */
  take(): string[]
  close(): Promise<void>
}

/** Starts a proxy before the server of a URL. */
export async function startWireTap(serverUrl: string): Promise<WireTap> {
  const target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const sent = new Map<Socket, Buffer[]>()
  const server = net.createServer((inner) => {
    const outer = net.connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true).on('error', () => undefined)
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
    sent.set(inner, [])
    inner.on('data', (chunk: Buffer) => sent.get(inner)!.push(chunk))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(serverUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    take: () =>
      [...sent.values()].flatMap((chunks) => {
        const text = Buffer.concat(chunks.splice(0)).toString('latin1')
        return text === '' ? [] : [text]
      }),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The commands in what was sent to Redis: their names. */
export const redisCommandsIn = (texts: readonly string[]): string[] =>
  texts.flatMap((text) =>
    [...text.matchAll(/(?:^|\r\n)\*\d+\r\n\$\d+\r\n(\w+)/g)].map(([, name]) => name!.toLowerCase()),
  )

/** The statements in what was sent to PostgreSQL after its greeting, each as often as it was executed. */
export function statementsIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const statements: string[] = []
    for (let at = 0; at + 5 <= text.length;) {
      const length = Buffer.from(text.slice(at + 1, at + 5), 'latin1').readUInt32BE()
      const body = text.slice(at + 5, at + 1 + length)
      // Q: a simple query; B: values for a statement, which is then executed.
      if (text[at] === 'Q') statements.push(body.split('\0')[0]!)
      if (text[at] === 'P') statements.push(`parse ${body.split('\0').slice(0, 2).join(' ')}`)
      if (text[at] === 'B') statements.push(`bind ${body.split('\0')[1]!}`)
      at += 1 + length
    }
    return statements
  })
}
