import { connectApi, readItems, type ConnectionOptions } from '#connection'
import type {
  DirectoryItemOf,
  DirectoryListPath,
  InternalBarePathOf,
  InternalInitOf,
  InternalMethod,
  InternalPathOf,
  InternalResponseOf,
} from './api-types.ts'
import { syncDirectory, type DirectorySync } from './directory-sync.ts'

/** The options of {@link createInternalClient}. */
export interface InternalClientOptions extends ConnectionOptions {
  /** The URL of the internal listener: `http://control.internal:9090`. */
  readonly baseUrl: string
  /** A service token. */
  readonly token: string
}

/** Calls operations with one method. */
export interface InternalCall<M extends InternalMethod> {
  <Path extends InternalBarePathOf<M>>(
    path: Path,
    init?: InternalInitOf<Path, M>,
  ): Promise<InternalResponseOf<Path, M>>
  <Path extends InternalPathOf<M>>(
    path: Path,
    init: InternalInitOf<Path, M>,
  ): Promise<InternalResponseOf<Path, M>>
}

/** An event to publish. */
export interface EventToPublish {
  /** A UUID. An event whose id was accepted before is not published again. Default: a new one. */
  readonly id?: string | undefined
  /** For example `site.created`. */
  readonly type: string
  /** The organization. */
  readonly tenant_id: string
  /** When it happened, in ISO 8601; default: now. */
  readonly created_at?: string | undefined
  /** The fields that the schema of the type defines. */
  readonly data: Readonly<Record<string, unknown>>
}

/** An accepted event. */
export interface PublishedEvent {
  readonly id: string
  /** The number of its deliveries. */
  readonly deliveries: number
}

/**
 * A typed client of the internal API. Every call returns the body of the response; `undefined` for a 204. GET, PUT, DELETE
 * and `publish` are retried; a POST is sent once.
 *
 * @throws ApiProblem for every response that is not successful, ConnectionError if there is none, or the
 *   reason of the aborted signal.
 */
export interface InternalClient {
  readonly GET: InternalCall<'get'>
  readonly POST: InternalCall<'post'>
  readonly PUT: InternalCall<'put'>
  readonly DELETE: InternalCall<'delete'>
  /** Iterates over a list of the directory, oldest change first, and requests each page when it is needed. */
  items<Path extends DirectoryListPath>(
    path: Path,
    init?: InternalInitOf<Path, 'get'>,
  ): AsyncGenerator<DirectoryItemOf<Path>, void, undefined>
  /** The directory as a whole. */
  readonly directory: { readonly sync: DirectorySync }
  /**
   * Publishes 1 to 1,000 events: all or none. Each has an id before the first attempt, so a retry publishes
   * nothing twice.
   */
  publish(
    events: readonly EventToPublish[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<PublishedEvent[]>
}

/**
 * The internal API ignores an Idempotency-Key. Events are published once because of their ids; every other POST would do
 * its work again: an authorization takes a request of the key's rate limit, and a sign-in link is a second one.
 */
const notRetryable = /^POST (?!.*\/internal\/v1\/events$)/

/**
 * Creates a client of the internal API.
 *
 * @throws InvalidTokenError if the token cannot be sent, TypeError if `baseUrl` is not the URL of a service.
 */
export function createInternalClient(options: InternalClientOptions): InternalClient {
  const { call } = connectApi(options, { basePath: '/internal/v1', notRetryable })
  const callWith = (method: InternalMethod) => (path: string, init?: object) =>
    call(method, path, init) as Promise<never>
  const items = (path: string, init?: object) =>
    readItems((page) => call('get', path, page), init) as never
  return {
    items,
    directory: { sync: (records, settings) => syncDirectory({ call, items }, records, settings) },
    GET: callWith('get'),
    POST: callWith('post'),
    PUT: callWith('put'),
    DELETE: callWith('delete'),
    async publish(events, { signal } = {}) {
      const withIds = events.map((event) => ({ ...event, id: event.id ?? crypto.randomUUID() }))
      const published = await call('post', '/events', { body: { events: withIds }, signal })
      return (published as { items: PublishedEvent[] }).items
    },
  }
}
