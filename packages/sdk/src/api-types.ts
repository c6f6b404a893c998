import type { FetchOptions } from 'openapi-fetch'
import type { oneTimeMembers } from './answer.ts'
import type { paths } from './generated/openapi.ts'

export type { paths } from './generated/openapi.ts'

/** The methods that the API has, as they are written in {@link paths}. */
export type Method = 'get' | 'post' | 'patch' | 'delete'

/** The paths that take a method. What streams is not called, but listened to. */
export type PathOf<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, object> ? Path : never
}[Exclude<keyof paths, '/webhooks/listen'>]

/** What a call takes: `params` with `path`, `query` and `header`, and `body`, as the operation has them. */
export type InitOf<Path extends keyof paths, M extends Method> = Pick<
  FetchOptions<paths[Path][M]>,
  'params' | 'body'
> & {
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Ends the call, its retries included; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The paths whose calls need nothing else. */
export type BarePathOf<M extends Method> = {
  [Path in PathOf<M>]: paths[Path][M] extends Needing ? never : Path
}[PathOf<M>]

/** An operation with parameters or a body that must be given. */
type Needing =
  | { parameters: { path: object } }
  | { parameters: { query: object } }
  | { requestBody: { content: object } }

/** The body of an operation's answer; `undefined` of a 204. */
export type ResponseOf<Path extends keyof paths, M extends Method> =
  paths[Path][M] extends Answering<infer Answers>
    ? { [Status in keyof Answers]: WithSecret<JsonOf<Answers[Status]>> }[keyof Answers]
    : never

interface Answering<Answers> {
  readonly responses: Answers
}

type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Body } }
  ? Body
  : undefined

/** A one-time secret is null where an answer is given again; the client throws that. */
type WithSecret<Body> = Body extends object
  ? { [Name in keyof Body]: Name extends OneTimeMember ? NonNullable<Body[Name]> : Body[Name] }
  : Body

/** Members that an answer shows once (docs/specification/requests.md#idempotency). */
export type OneTimeMember = (typeof oneTimeMembers)[number]

/** The body that an operation takes. */
export type BodyOf<Path extends keyof paths, M extends Method> = NonNullable<
  FetchOptions<paths[Path][M]>['body']
>

/** The paths of lists that are read page by page. */
export type ListPath = {
  [Path in PathOf<'get'>]: ResponseOf<Path, 'get'> extends Page<unknown> ? Path : never
}[PathOf<'get'>]

interface Page<Item> {
  items: Item[]
  next_cursor: string | null
}

/** What stands in a list. */
export type ItemOf<Path extends ListPath> =
  ResponseOf<Path, 'get'> extends Page<infer Item> ? Item : never

/** An API key, as the API shows it: never with its token. */
export type ApiKey = ItemOf<'/api-keys'>
/** A webhook endpoint, as the API shows it: never with its secret. */
export type Webhook = ItemOf<'/webhooks'>
/** A delivery in a list; the single record has its attempts and payload too. */
export type Delivery = ItemOf<'/webhook-deliveries'>
/** An entry of the audit log. */
export type AuditEvent = ItemOf<'/audit-log'>
/** What starts a device login. */
export type DeviceCode = ResponseOf<'/auth/device/code', 'post'>
/** What an approved device login gives, once. */
export type DeviceLogin = ResponseOf<'/auth/device/token', 'post'>
