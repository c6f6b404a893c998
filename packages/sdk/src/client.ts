import type {
  BarePathOf,
  InitOf,
  ItemOf,
  ListPath,
  Method,
  PathOf,
  ResponseOf,
} from './api-types.ts'
import { connectApi, type ConnectionOptions } from './connection/call-api.ts'
import { readItems } from './connection/read-items.ts'
import {
  exportList,
  type ExportedFile,
  type ExportedPath,
  type ExportOptions,
} from './export/export-list.ts'
import { followEvents, type EventFollower, type FollowOptions } from './follow/follow-events.ts'
import { type ListenMessage, listen } from './listen/listen.ts'

/** The options of {@link createClient}. */
export interface ClientOptions extends ConnectionOptions {
  /** An API key. Without one, only the device login can be called. */
  readonly token?: string | undefined
}

/** The OAuth endpoints, after `/oauth`. */
export type OAuthPath = '/device_authorization' | '/token' | '/revoke'

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
   * Exports a list as a file, which is read while the service sends it. It is not retried.
   *
   * @throws ConnectionError from its text, if the export is cut off.
   */
  export(path: ExportedPath, options: ExportOptions): Promise<ExportedFile>
  /**
   * Sends a form to an OAuth endpoint (`/docs/specification/oauth` of the service) and returns the body of the response.
   * `startDeviceLogin`, `pollDeviceLogin`, `exchangeToken` and `revokeToken` use it.
   */
  oauth(
    path: OAuthPath,
    form: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<unknown>
  readonly events: {
    /**
     * Follows the event log: returns every event of the organization once, also those that were accepted while nobody
     * followed. It waits for further events, and survives restarts of the service. Store {@link EventFollower.cursor} to
     * continue after a restart of the reader.
     *
     * @throws ApiProblem if the key is refused, or the log no longer contains what follows `after`.
     */
    follow(options?: FollowOptions): EventFollower
  }
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

/** Operations on passwords, codes, tokens and the session itself ignore an Idempotency-Key. They are never retried. */
const notRetryable =
  /^POST .*\/oauth\/|^POST .*\/auth\/(device\/(code|token)|session(\/(confirm|passkey-options))?|password|revoke|token)$|^DELETE .*\/auth\/session$|^(POST|DELETE) .*\/auth\/factors\//

/**
 * Creates a client of the API.
 *
 * @throws InvalidTokenError if the token cannot be sent, TypeError if `baseUrl` is not the URL of a service.
 */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, headers, fetch, call, sendForm } = connectApi(options, {
    basePath: '/api/v1',
    notRetryable,
  })
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
      readItems((page) => call('get', path, page), init, startsOf(path)) as never,
    export: (path, exporting) => exportList({ baseUrl, headers, fetch }, path, exporting),
    oauth: (path, form, signal) => sendForm(`/oauth${path}`, form, signal),
    events: {
      follow: (following = {}) =>
        followEvents(
          (query, signal) => call('get', '/events', { params: { query }, signal }) as never,
          following,
        ),
    },
    listen: ({ signal, standardWebhooks = false } = {}) =>
      listen({ baseUrl, headers, fetch, signal, standardWebhooks }),
  }
}

/** The event log starts at a time or after a cursor. Other lists are filtered by `since` on every page. */
const startsOf = (path: string): readonly string[] => (path === '/events' ? ['since'] : [])
