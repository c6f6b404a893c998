import { ConnectionError } from '../connection/connection-error.ts'
import {
  openStream,
  withSilenceLimit,
  type SilenceLimit,
  type StreamReader,
} from '../connection/open-stream.ts'
import { EventStreamParser, type StreamMessage } from './event-stream.ts'
import type { ListenMessage } from './listen-message.ts'

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
