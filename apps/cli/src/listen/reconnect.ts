import { ApiProblem, type Client, type ListenMessage } from '@hosting/sdk'
import type { Environment } from '../environment.ts'
import { CliError, exitCodes, isUnreachable, type ExitCode } from '../exit-codes.ts'

const delayFirstMs = 1_000
const delayMaxMs = 30_000

/** A message of a stream, or the news that the stream was lost and will be opened again. */
export type StreamUpdate =
  | Exclude<ListenMessage, { kind: 'end' }>
  | { readonly kind: 'lost'; readonly reason: string }

interface ListenOptions {
  readonly signal: AbortSignal
  readonly standardWebhooks: boolean | undefined
}

/** Yields the messages of one stream after another. Fails if the first one cannot be opened. */
export async function* listenWithReconnect(
  client: Pick<Client, 'listen'>,
  { sleep, ...options }: ListenOptions & Pick<Environment, 'sleep'>,
): AsyncGenerator<StreamUpdate> {
  let wasOpen = false
  for (let failures = 0; ; failures += 1) {
    let reason = ''
    try {
      for await (const message of readStream(client, options)) {
        wasOpen = true
        failures = 0
        yield message
      }
    } catch (error) {
      const isEnd = error instanceof CliError
      if (!isTemporary(error) || (!wasOpen && !isEnd)) throw error
      reason = (error as Error).message
    }
    const delayMs = Math.min(delayMaxMs, delayFirstMs * 2 ** failures) * (0.5 + Math.random() / 2)
    yield { kind: 'lost', reason }
    await sleep(delayMs, options.signal)
  }
}

/** Yields the messages of one stream. It ends only by an error: the server's own end becomes one. */
async function* readStream(client: Pick<Client, 'listen'>, options: ListenOptions) {
  for await (const message of client.listen(options)) {
    if (message.kind === 'end') {
      throw new CliError(message.code, message.detail, { exitCode: exitCodeOfEnd(message.code) })
    }
    yield message
  }
}

/** Codes with which the server ends a stream that may be opened again. */
const temporaryCodes = new Set(['too_slow', 'restarting', 'interrupted'])

/** Codes with which the server ends a stream because the key may no longer listen. */
const refusedCodes = new Set([
  'invalid_api_key',
  'authentication_required',
  'api_key_ip_denied',
  'api_key_not_allowed',
  'insufficient_scope',
  'permission_denied',
])

function exitCodeOfEnd(code: string): ExitCode {
  if (refusedCodes.has(code)) return exitCodes.refused
  return code === 'rate_limited' ? exitCodes.rateLimited : exitCodes.failed
}

function isTemporary(error: unknown): boolean {
  if (error instanceof CliError) return temporaryCodes.has(error.code)
  // 409: the server may still count the stream that was lost.
  return isUnreachable(error) || (error instanceof ApiProblem && [409, 429].includes(error.status))
}
