import type { FetchOptions } from 'openapi-fetch'
import type { RequiresInit } from '../api-types.ts'
import { connectApi, type ConnectionOptions } from '../call-api.ts'
import type { paths } from '../generated/internal-openapi.ts'

/** The options of {@link createInternalClient}. */
export interface InternalClientOptions extends ConnectionOptions {
  /** The URL of the internal listener: `http://control.internal:9090`. */
  readonly baseUrl: string
  /** A service token. */
  readonly token: string
}

/** The methods of the internal API. */
export type InternalMethod = 'get' | 'post' | 'put' | 'delete'

/** The paths that have a method. Events have a function of their own, `publish`. */
export type InternalPathOf<M extends InternalMethod> = {
  [Path in keyof paths]: paths[Path] extends Record<M, object> ? Path : never
}[Exclude<keyof paths, '/events'>]

/** The parameters and body of a call, as the operation defines them. */
export type InternalInitOf<Path extends keyof paths, M extends InternalMethod> = Pick<
  FetchOptions<paths[Path][M]>,
  'params' | 'body'
> & {
  /** Aborts the call and its retries; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A permission that `POST /authorize` can require. */
export type Permission = NonNullable<InternalInitOf<'/authorize', 'post'>['body']>['permission']

/** The body of an operation's response; `undefined` for a 204. */
export type InternalResponseOf<
  Path extends keyof paths,
  M extends InternalMethod,
> = paths[Path][M] extends { responses: infer Responses }
  ? { [Status in keyof Responses]: JsonOf<Responses[Status]> }[keyof Responses]
  : never

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : undefined

/** The paths whose calls have no required parameters. */
export type InternalBarePathOf<M extends InternalMethod> = {
  [Path in InternalPathOf<M>]: paths[Path][M] extends RequiresInit ? never : Path
}[InternalPathOf<M>]

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
 * A typed client of the internal API. Every call returns the body of the response; `undefined` for a 204.
 *
 * @throws ApiProblem for every response that is not successful, ConnectionError if there is none, or the
 *   reason of the aborted signal.
 */
export interface InternalClient {
  readonly GET: InternalCall<'get'>
  readonly POST: InternalCall<'post'>
  readonly PUT: InternalCall<'put'>
  readonly DELETE: InternalCall<'delete'>
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
 * Creates a client of the internal API.
 *
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function createInternalClient(options: InternalClientOptions): InternalClient {
  const { call } = connectApi(options, '/internal/v1')
  const callWith = (method: InternalMethod) => (path: string, init?: object) =>
    call(method, path, init) as Promise<never>
  return {
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
