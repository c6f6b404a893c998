import createOpenApiClient from 'openapi-fetch'
import type {
  BarePathOf,
  InitOf,
  ItemOf,
  ListPath,
  Method,
  PathOf,
  paths,
  ResponseOf,
} from './api-types.ts'
import type { ListenMessage } from './listen/listen-message.ts'
import { listen } from './listen/listen.ts'
import { retryingFetch } from './retrying-fetch.ts'

export interface ClientOptions {
  /** The URL of the service: `https://panel.example`. */
  readonly baseUrl: string
  /** An API key. Without one, only the device login can be called. */
  readonly token?: string | undefined
  /** Sends the requests; default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Headers of every request, such as `User-Agent`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How long one attempt may take, including its body, in ms; default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** Maximum number of retries of a request that is safe to retry; default: 3. */
  readonly retries?: number | undefined
  /** The longest `Retry-After` that is waited for, in ms; default: 30,000. */
  readonly retryWaitMaxMs?: number | undefined
}

/** Calls operations with one method. */
export interface Call<M extends Method> {
  <Path extends BarePathOf<M>>(path: Path, init?: InitOf<Path, M>): Promise<ResponseOf<Path, M>>
  <Path extends PathOf<M>>(path: Path, init: InitOf<Path, M>): Promise<ResponseOf<Path, M>>
}

/**
 * A typed client of the API. Every call returns the body of the response; `undefined` for a 204.
 *
 * @throws ApiProblem for every response that is not successful, ConnectionError if there is none, or the
 *   reason of the aborted signal.
 */
export interface Client {
  readonly GET: Call<'get'>
  readonly POST: Call<'post'>
  readonly PATCH: Call<'patch'>
  readonly DELETE: Call<'delete'>
  /** Iterates over a list, newest first, and requests each page when it is needed. */
  items<Path extends ListPath & BarePathOf<'get'>>(
    path: Path,
    init?: InitOf<Path, 'get'>,
  ): AsyncGenerator<ItemOf<Path>, void, undefined>
  items<Path extends ListPath>(
    path: Path,
    init: InitOf<Path, 'get'>,
  ): AsyncGenerator<ItemOf<Path>, void, undefined>
  /**
   * Iterates over the organization's events as they are published, each with the headers and body that an
   * endpoint would receive. Events published while nobody listens are not sent later.
   *
   * @throws ConnectionError when the connection breaks.
   */
  listen(options?: {
    readonly signal?: AbortSignal | undefined
  }): AsyncGenerator<ListenMessage, void, undefined>
}

const timeoutMsDefault = 30_000
const retriesDefault = 3
const retryWaitMaxMsDefault = 30_000

/**
 * Creates a client of the API.
 *
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function createClient(options: ClientOptions): Client {
  const baseUrl = toApiBase(options.baseUrl)
  const headers = headersOf(options)
  const fetch = options.fetch ?? globalThis.fetch
  const api = createOpenApiClient<paths>({
    baseUrl,
    headers,
    fetch: retryingFetch({
      fetch,
      timeoutMs: options.timeoutMs ?? timeoutMsDefault,
      retries: options.retries ?? retriesDefault,
      retryWaitMaxMs: options.retryWaitMaxMs ?? retryWaitMaxMsDefault,
    }),
  })
  const request = api.request as unknown as UntypedRequest
  const call = async (method: Method, path: string, init: object = {}): Promise<unknown> => {
    // `Request` rejects a signal that is present but undefined.
    const given = Object.fromEntries(
      Object.entries(init).filter(([, value]) => value !== undefined),
    )
    return (await request(method, path, given)).data
  }
  const callWith =
    (method: Method) =>
    (path: string, init?: object): Promise<never> =>
      call(method, path, init) as Promise<never>
  return {
    GET: callWith('get'),
    POST: callWith('post'),
    PATCH: callWith('patch'),
    DELETE: callWith('delete'),
    items: (path: string, init?: object) =>
      readItems((page) => call('get', path, page), init) as never,
    listen: ({ signal } = {}) => listen({ baseUrl, headers, fetch, signal }),
  }
}

type UntypedRequest = (method: string, path: string, init: object) => Promise<{ data?: unknown }>

/** The base URL of the API; `/api/v1` may already be part of the given URL. */
const toApiBase = (url: string): string =>
  `${new URL(url).href.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`

const headersOf = ({ token, headers = {} }: ClientOptions): Record<string, string> => ({
  ...headers,
  ...(token !== undefined && { Authorization: `Bearer ${token}` }),
})

async function* readItems(
  read: (init: object) => Promise<unknown>,
  init: object = {},
): AsyncGenerator<unknown, void, undefined> {
  const { params } = init as { params?: { query?: object } }
  let cursor: string | null | undefined
  do {
    const query = { ...params?.query, ...(cursor && { cursor }) }
    const page = await read({ ...init, params: { ...params, query } })
    const { items, next_cursor } = page as { items: unknown[]; next_cursor: string | null }
    yield* items
    cursor = next_cursor
  } while (cursor)
}
