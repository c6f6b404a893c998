import { ApiProblem, type Client, type ListenMessage } from '@hosting/sdk'
import { CliError, isUnreachable } from '../exit-codes.ts'

/** Between connections: the first, and the most. */
const waitFirstMs = 1_000
const waitMaxMs = 30_000

/** What happens to a stream: a message, or that it is lost and will be opened again. */
export type Listening =
  Exclude<ListenMessage, { kind: 'end' }> | { readonly kind: 'lost'; readonly reason: string }

/** With what a stream is opened again. */
export interface Reconnecting {
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  readonly random?: () => number
}

/** The messages of one stream after another. Where the first cannot be opened, that is the answer. */
export async function* listenOn(
  client: Pick<Client, 'listen'>,
  { sleep, signal, random = Math.random }: Reconnecting,
): AsyncGenerator<Listening> {
  let wasOpen = false
  for (let failures = 0; ; failures += 1) {
    let reason = ''
    try {
      for await (const message of messagesOf(client, signal)) {
        wasOpen = true
        failures = 0
        yield message
      }
    } catch (error) {
      const isEnd = error instanceof CliError
      if (!mayPass(error) || (!wasOpen && !isEnd)) throw error
      reason = (error as Error).message
    }
    const waitMs = Math.min(waitMaxMs, waitFirstMs * 2 ** failures) * (0.5 + random() / 2)
    yield { kind: 'lost', reason }
    await sleep(waitMs, signal)
  }
}

/** The messages of one stream. It never ends but by an error: the server's own end becomes one. */
async function* messagesOf(client: Pick<Client, 'listen'>, signal: AbortSignal) {
  for await (const message of client.listen({ signal })) {
    if (message.kind === 'end') throw new CliError(message.code, message.detail)
    yield message
  }
}

/** Why the server ends a stream that may be opened again. */
const passing = new Set(['too_slow', 'restarting', 'interrupted'])

function mayPass(error: unknown): boolean {
  if (error instanceof CliError) return passing.has(error.code)
  // 409: the server may still count the stream that was lost.
  return isUnreachable(error) || (error instanceof ApiProblem && [409, 429].includes(error.status))
}
