import type {
  BarePathOf,
  InitOf,
  ItemOf,
  ListPath,
  Method,
  PathOf,
  ResponseOf,
} from './api-types.ts'
import { connectApi, type ConnectionOptions } from './call-api.ts'
import type { ListenMessage } from './listen/listen-message.ts'
import { listen } from './listen/listen.ts'

/** The options of {@link createClient}. */
export interface ClientOptions extends ConnectionOptions {
  /** An API key. Without one, only the device login can be called. */
  readonly token?: string | undefined
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
  readonly PUT: Call<'put'>
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
    /** Events also carry the headers of Standard Webhooks. */
    readonly standardWebhooks?: boolean | undefined
  }): AsyncGenerator<ListenMessage, void, undefined>
}

/**
 * Creates a client of the API.
 *
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, headers, fetch, call } = connectApi(options, '/api/v1')
  const callWith =
    (method: Method) =>
    (path: string, init?: object): Promise<never> =>
      call(method, path, init) as Promise<never>
  return {
    GET: callWith('get'),
    POST: callWith('post'),
    PUT: callWith('put'),
    PATCH: callWith('patch'),
    DELETE: callWith('delete'),
    items: (path: string, init?: object) =>
      readItems((page) => call('get', path, page), init) as never,
    listen: ({ signal, standardWebhooks = false } = {}) =>
      listen({ baseUrl, headers, fetch, signal, standardWebhooks }),
  }
}

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
