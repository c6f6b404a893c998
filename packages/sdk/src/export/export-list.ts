import { ConnectionError } from '../connection/connection-error.ts'
import { openStream, withSilenceLimit } from '../connection/open-stream.ts'

/** The lists that can be exported as files. */
export type ExportedPath = '/audit-log' | '/webhook-deliveries' | '/events'

/** The formats of exports, with their media types. */
const mediaTypes = { csv: 'text/csv', jsonl: 'application/jsonl' } as const

/** What is exported. */
export interface ExportOptions {
  readonly format: keyof typeof mediaTypes
  /** The filters of the list, its `cursor` and its `limit`. A list of values repeats the parameter. */
  readonly query?:
    | Readonly<Record<string, string | number | readonly string[] | undefined>>
    | undefined
  readonly signal?: AbortSignal | undefined
}

/** An export that is read while the service sends it. */
export interface ExportedFile {
  /** The text of the file, in parts. */
  readonly text: AsyncGenerator<string, void, undefined>
  /** The `cursor` of what is left; null if the export is complete. */
  readonly nextCursor: string | null
}

/** How exports are requested. */
export interface ExportSettings {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
}

/** The service searches the end of an export before it responds. */
const silenceMsMax = 60_000

/** Requests an export of a list. */
export async function exportList(
  { baseUrl, headers, fetch }: ExportSettings,
  path: ExportedPath,
  { format, query = {}, signal }: ExportOptions,
): Promise<ExportedFile> {
  const ending = new AbortController()
  const endByCaller = (): void => ending.abort(signal?.reason)
  if (signal?.aborted) endByCaller()
  signal?.addEventListener('abort', endByCaller, { once: true })
  const parameters = new URLSearchParams({ format })
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value ?? []].flat()) parameters.append(name, String(each))
  }
  const limit = { ending, silenceMsMax }
  const request = { url: `${baseUrl}${path}?${parameters}`, headers, fetch }
  try {
    const stream = await openStream({ ...request, mediaType: mediaTypes[format] }, limit)
    const next = () => withSilenceLimit(limit, () => stream.reader.read())
    return {
      text: readText(next, { ending, signal, endByCaller }),
      nextCursor: stream.received.get('X-Next-Cursor'),
    }
  } catch (error) {
    signal?.removeEventListener('abort', endByCaller)
    if (signal?.aborted) throw signal.reason
    throw error
  }
}

/** Reads the parts of a body. Leaving the loop closes the connection. */
async function* readText(
  next: () => Promise<{ done: boolean; value?: Uint8Array | undefined }>,
  {
    ending,
    signal,
    endByCaller,
  }: { ending: AbortController; signal: AbortSignal | undefined; endByCaller: () => void },
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await next().catch((cause: unknown) => {
        if (signal?.aborted) throw signal.reason
        throw new ConnectionError('The export was cut off.', { cause })
      })
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    signal?.removeEventListener('abort', endByCaller)
    ending.abort()
  }
}
