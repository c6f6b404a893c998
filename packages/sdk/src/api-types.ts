import type { FetchOptions } from 'openapi-fetch'
import type { RequiresInit } from './connection/requires-init.ts'
import type { oneTimeMembers } from './connection/response.ts'
import type { paths } from './generated/openapi.ts'

export type { paths } from './generated/openapi.ts'

/** The methods of the API, as {@link paths} writes them. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths that have a method. The event stream has a function of its own, `listen`. */
export type PathOf<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, object> ? Path : never
}[Exclude<keyof paths, '/webhooks/listen'>]

/** The parameters of a call: `params` with `path`, `query` and `header`, and `body`, as the operation defines them. */
export type InitOf<Path extends keyof paths, M extends Method> = Pick<
  FetchOptions<paths[Path][M]>,
  'params' | 'body'
> & {
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Aborts the call and its retries; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The paths whose calls have no required parameters. */
export type BarePathOf<M extends Method> = {
  [Path in PathOf<M>]: paths[Path][M] extends RequiresInit ? never : Path
}[PathOf<M>]

/** The body of an operation's response; `undefined` for a 204. */
export type ResponseOf<Path extends keyof paths, M extends Method> =
  paths[Path][M] extends HasResponses<infer Responses>
    ? { [Status in keyof Responses]: WithSecret<JsonOf<Responses[Status]>> }[keyof Responses]
    : never

interface HasResponses<Responses> {
  readonly responses: Responses
}

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : undefined

/** One-time secrets are null only in repeated responses, for which the client throws. */
type WithSecret<Body> = Body extends object
  ? { [Name in keyof Body]: Name extends OneTimeMember ? NonNullable<Body[Name]> : Body[Name] }
  : Body

/** Members that the API returns only once. */
export type OneTimeMember = (typeof oneTimeMembers)[number]

/** The request body of an operation. */
export type BodyOf<Path extends keyof paths, M extends Method> = NonNullable<
  FetchOptions<paths[Path][M]>['body']
>

/** The paths of paginated lists. */
export type ListPath = {
  [Path in PathOf<'get'>]: ResponseOf<Path, 'get'> extends Page<unknown> ? Path : never
}[PathOf<'get'>]

interface Page<Item> {
  items: Item[]
  next_cursor: string | null
}

/** An item of a list. */
export type ItemOf<Path extends ListPath> =
  ResponseOf<Path, 'get'> extends Page<infer Item> ? Item : never

/** An API key, without its token. */
export type ApiKey = ItemOf<'/api-keys'>
/** A webhook endpoint, without its secret. */
export type Webhook = ItemOf<'/webhooks'>
/** A delivery in a list; the single record also has its attempts and payload. */
export type Delivery = ItemOf<'/webhook-deliveries'>
/** An event of the audit log. */
export type AuditEvent = ItemOf<'/audit-log'>
/** The codes that start a device login. */
export type DeviceCode = ResponseOf<'/auth/device/code', 'post'>
/** The result of an approved device login; returned once. */
export type DeviceLogin = ResponseOf<'/auth/device/token', 'post'>
