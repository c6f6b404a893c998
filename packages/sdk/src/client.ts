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
import { repeatingFetch } from './repeating-fetch.ts'

export interface ClientOptions {
  /** Where the service is: `https://panel.example`. */
  readonly baseUrl: string
  /** An API key. Without one only the device login can be called. */
  readonly token?: string | undefined
  /** Sends the requests; the global one by default. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Go with every request, such as `User-Agent`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How long one attempt may take, its body included, in ms; 30,000 by default. */
  readonly timeoutMs?: number | undefined
  /** Further attempts at most, of what may be repeated; 3 by default. */
  readonly retries?: number | undefined
  /** A `Retry-After` longer than this, in ms, is not waited for; 30,000 by default. */
  readonly retryWaitMaxMs?: number | undefined
}

/** A call with one method. */
export interface Call<M extends Method> {
  <Path extends BarePathOf<M>>(path: Path, init?: InitOf<Path, M>): Promise<ResponseOf<Path, M>>
  <Path extends PathOf<M>>(path: Path, init: InitOf<Path, M>): Promise<ResponseOf<Path, M>>
}

/**
 * The API, typed. Every call gives the answer's body, `undefined` of a 204.
 *
 * @throws ApiProblem for every answer that is not the wanted one, ConnectionError if none came, or the
 *   reason of the signal that was aborted.
 */
export interface Client {
  readonly GET: Call<'get'>
  readonly POST: Call<'post'>
  readonly PATCH: Call<'patch'>
  readonly DELETE: Call<'delete'>
  /** Everything in a list, newest first: the next page is read when the one before is used up. */
  items<Path extends ListPath & BarePathOf<'get'>>(
    path: Path,
    init?: InitOf<Path, 'get'>,
  ): AsyncGenerator<ItemOf<Path>, void, undefined>
  items<Path extends ListPath>(
    path: Path,
    init: InitOf<Path, 'get'>,
  ): AsyncGenerator<ItemOf<Path>, void, undefined>
  /**
   * The organization's events as they are published, each with headers and body as an endpoint would get
   * them. Events published while nobody listens are not given later.
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
 * Makes a client of the API.
 *
 * @throws TypeError if the address is no URL.
 */
export function createClient(options: ClientOptions): Client {
  const baseUrl = toApiBase(options.baseUrl)
  const headers = headersOf(options)
  const fetch = options.fetch ?? globalThis.fetch
  const api = createOpenApiClient<paths>({
    baseUrl,
    headers,
    fetch: repeatingFetch({
      fetch,
      timeoutMs: options.timeoutMs ?? timeoutMsDefault,
      retries: options.retries ?? retriesDefault,
      retryWaitMaxMs: options.retryWaitMaxMs ?? retryWaitMaxMsDefault,
    }),
  })
  const request = api.request as unknown as UntypedRequest
  const call = async (method: Method, path: string, init: object = {}): Promise<unknown> => {
    // Under `exactOptionalPropertyTypes` a signal that is left open is a member; `Request` refuses it.
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

/** The API's own address, whether or not it was given already. */
const toApiBase = (address: string): string =>
  `${new URL(address).href.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`

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
