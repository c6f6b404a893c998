import { toProblem } from '../answer.ts'
import { ConnectionError } from '../connection-error.ts'
import { toConnectionError } from '../repeating-fetch.ts'
import { EventStreamParser, type StreamMessage } from './event-stream.ts'
import type { ListenMessage } from './listen-message.ts'

/** What a stream takes. */
export interface Listening {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal | undefined
}

/** The server says something each 15 s: after three times of silence the connection is taken for dead. */
const silenceMsMax = 45_000

/** Listens until the server ends the stream; leaving the loop ends the connection. */
export async function* listen(
  listening: Listening,
): AsyncGenerator<ListenMessage, void, undefined> {
  const ending = new AbortController()
  const endByCaller = (): void => ending.abort(listening.signal?.reason)
  if (listening.signal?.aborted) endByCaller()
  listening.signal?.addEventListener('abort', endByCaller, { once: true })
  try {
    const reader = await open(listening, ending)
    yield* readMessages(reader, ending)
  } catch (error) {
    if (listening.signal?.aborted) throw listening.signal.reason
    throw error
  } finally {
    listening.signal?.removeEventListener('abort', endByCaller)
    ending.abort()
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

async function open(
  { baseUrl, headers, fetch }: Listening,
  ending: AbortController,
): Promise<Reader> {
  const url = `${baseUrl}/webhooks/listen`
  const response = await whileNotSilent(ending, () =>
    fetch(url, {
      headers: { ...headers, Accept: 'text/event-stream' },
      redirect: 'manual',
      signal: ending.signal,
    }),
  ).catch((error: unknown) => {
    throw toConnectionError(url, error)
  })
  const { status, headers: given, body } = response
  if (status === 200 && body && given.get('Content-Type')?.startsWith('text/event-stream')) {
    return body.getReader()
  }
  throw toProblem({ status, headers: given, text: await response.text() })
}

async function* readMessages(
  reader: Reader,
  ending: AbortController,
): AsyncGenerator<ListenMessage, void, undefined> {
  const parser = new EventStreamParser()
  for (;;) {
    const { done, value } = await whileNotSilent(ending, () => reader.read()).catch(
      (cause: unknown) => {
        throw new ConnectionError('The connection broke.', { cause })
      },
    )
    if (done) throw new ConnectionError('The connection was closed.')
    for (const streamed of parser.push(value)) {
      const message = toListenMessage(streamed)
      if (!message) continue
      yield message
      if (message.kind === 'end') return
    }
  }
}

/** Waits for the server's next word, but not for ever. */
async function whileNotSilent<T>(ending: AbortController, next: () => Promise<T>): Promise<T> {
  const late = new DOMException('The server is silent.', 'TimeoutError')
  const timer = setTimeout(() => ending.abort(late), silenceMsMax)
  try {
    return await next()
  } finally {
    clearTimeout(timer)
  }
}

/** What later versions may send besides is passed over. */
function toListenMessage({ event, data }: StreamMessage): ListenMessage | undefined {
  const { secret, headers, body, code, detail } = JSON.parse(data) as Record<string, unknown>
  if (event === 'end') return { kind: 'end', code: String(code), detail: String(detail) }
  if (typeof secret === 'string') return { kind: 'secret', secret }
  if (typeof body !== 'string' || typeof headers !== 'object' || !headers) return undefined
  return { kind: 'event', headers: headers as Record<string, string>, body }
}
