import { ConnectionError } from '../connection/connection-error.ts'
import {
  openStream,
  withSilenceLimit,
  type SilenceLimit,
  type StreamReader,
} from '../connection/open-stream.ts'

/** How a stream is opened. */
export interface ListenSettings {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal | undefined
  readonly standardWebhooks: boolean
  /** How long the server may send nothing, in ms. Default: 45 s. */
  readonly silenceMsMax?: number
}

/** The server sends a comment every 15 s. After three missed ones the connection counts as broken. */
const silenceMsDefault = 45_000

/** Listens until the server ends the stream. Leaving the loop closes the connection. */
export async function* listen(
  settings: ListenSettings,
): AsyncGenerator<ListenMessage, void, undefined> {
  const ending = new AbortController()
  const limit = { ending, silenceMsMax: settings.silenceMsMax ?? silenceMsDefault }
  const endByCaller = (): void => ending.abort(settings.signal?.reason)
  if (settings.signal?.aborted) endByCaller()
  settings.signal?.addEventListener('abort', endByCaller, { once: true })
  try {
    const reader = await open(settings, limit)
    yield* readMessages(reader, limit)
  } catch (error) {
    if (settings.signal?.aborted) throw settings.signal.reason
    throw error
  } finally {
    settings.signal?.removeEventListener('abort', endByCaller)
    ending.abort()
  }
}

const open = async (
  { baseUrl, headers, fetch, standardWebhooks }: ListenSettings,
  limit: SilenceLimit,
): Promise<StreamReader> => {
  const url = `${baseUrl}/webhooks/listen${standardWebhooks ? '?standard_webhooks=true' : ''}`
  return (await openStream({ url, headers, fetch, mediaType: 'text/event-stream' }, limit)).reader
}

async function* readMessages(
  reader: StreamReader,
  limit: SilenceLimit,
): AsyncGenerator<ListenMessage, void, undefined> {
  const parser = new EventStreamParser()
  for (;;) {
    const { done, value } = await withSilenceLimit(limit, () => reader.read()).catch(
      (cause: unknown) => {
        throw new ConnectionError('The connection was lost.', { cause })
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

/** Unknown messages are ignored, because later versions may send more. */
function toListenMessage({ event, data }: StreamMessage): ListenMessage | undefined {
  const { secret, headers, body, code, detail } = parseData(data)
  if (event === 'end') return { kind: 'end', code: String(code), detail: String(detail) }
  if (typeof secret === 'string') return { kind: 'secret', secret }
  if (typeof body !== 'string' || typeof headers !== 'object' || !headers) return undefined
  return { kind: 'event', headers: headers as Record<string, string>, body }
}

/** The error of `JSON.parse` would repeat a part of the text, and the first message contains a secret. */
function parseData(data: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(data)
  } catch {
    throw new ConnectionError('The server sent a message that is not JSON.')
  }
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
}

/** A message of `GET /webhooks/listen`. */
export type ListenMessage =
  | {
      /** The first message: the secret that signs the events of this stream. */
      readonly kind: 'secret'
      readonly secret: string
    }
  | {
      /** An event, with the headers and body that an endpoint would receive. Forward both unchanged. */
      readonly kind: 'event'
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  | {
      /**
       * The last message, if the server ends the stream. `restarting`, `interrupted`, `too_slow`: listen
       * again. A problem code such as `invalid_api_key`: the caller may no longer listen.
       */
      readonly kind: 'end'
      readonly code: string
      readonly detail: string
    }

/** A message of a stream of Server-Sent Events. */
interface StreamMessage {
  /** `message` if the stream names none. */
  readonly event: string
  readonly data: string
}

const lengthMax = 4 * 2 ** 20

/**
 * Parses Server-Sent Events (HTML standard, section 9.2.6). Reads the fields `event` and `data`; ignores
 * comments and other fields.
 *
 * @throws RangeError for a message longer than 4 MiB.
 */
export class EventStreamParser {
  readonly #decoder = new TextDecoder()
  #rest = ''
  #event = ''
  #data: string[] = []
  #length = 0

  /** Adds bytes and returns the messages that they complete. */
  push(bytes: Uint8Array): StreamMessage[] {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true })
    // A carriage return at the end may be the first half of CRLF.
    const lines = text.split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop()!
    const messages = lines.flatMap((line) => this.#take(line))
    if (this.#rest.length + this.#length > lengthMax) throw new RangeError('A message is too long.')
    return messages
  }

  #take(line: string): StreamMessage[] {
    if (line === '') return this.#end()
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!
    if (field === 'event') this.#event = value
    if (field === 'data') this.#data.push(value)
    this.#length += line.length
    return []
  }

  #end(): StreamMessage[] {
    const message = { event: this.#event || 'message', data: this.#data.join('\n') }
    const isComplete = this.#data.length > 0
    this.#event = ''
    this.#data = []
    this.#length = 0
    return isComplete ? [message] : []
  }
}
