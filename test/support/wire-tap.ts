import type { Socket } from 'node:net'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/**
 * Starts a proxy in front of a Redis that replaces the replies to a client's first INFO commands.
 *
 * @param change - receives the number of the INFO, from 1; resolves to the replacement, if any.
 */
export async function startInfoProxy(
  serverUrl: string,
  change: (number: number) => Promise<string | undefined>,
): Promise<TcpProxy> {
  let infos = 0
  const asked = new WeakMap<Socket, Promise<string | undefined>>()
  return startTcpProxy(() => serverUrl, {
    onSent(client, chunk) {
      if (!/\$4\r\ninfo\r\n/i.test(chunk.toString('latin1'))) return
      asked.set(client, change((infos += 1)))
    },
    async changeReceived(client, chunk) {
      const [start, end] = findInfo(chunk)
      if (start === end) return chunk
      const replacement = await asked.get(client)
      if (replacement === undefined) return chunk
      // The chunk may also contain the replies to other commands.
      return Buffer.concat([
        chunk.subarray(0, start),
        Buffer.from(replacement),
        chunk.subarray(end),
      ])
    },
  })
}

/** Where the reply to an INFO, a verbatim string of RESP3, begins and ends in a chunk. Redis sends it in one piece. */
function findInfo(chunk: Buffer): [start: number, end: number] {
  const found = /=(\d+)\r\ntxt:# Server/.exec(chunk.toString('latin1'))
  if (!found) return [0, 0]
  const text = found.index + found[0].indexOf('txt:')
  return [found.index, text + Number(found[1]) + '\r\n'.length]
}

/** A proxy that records what a process sends to a server. */
export interface WireTap extends TcpProxy {
  /** What was sent to the server since the last call, as Latin-1 text, by connection. */
  take(): string[]
}

/** Starts a recording proxy in front of the server of a URL. */
export async function startWireTap(serverUrl: string): Promise<WireTap> {
  const sent = new Map<Socket, Buffer[]>()
  const proxy = await startTcpProxy(() => serverUrl, {
    onSent(client, chunk) {
      const chunks = sent.get(client) ?? []
      chunks.push(chunk)
      sent.set(client, chunks)
    },
  })
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
