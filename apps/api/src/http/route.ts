import type { Problem, ProblemCode } from '@hosting/core/problems'
import {
  getPermission,
  type KeyPermissionName,
  type Permission,
  type PermissionName,
} from '@hosting/core/scopes'
import type { TObject, TSchema } from 'typebox'
import type { Services } from '../services.ts'
import type { ErrorFormat } from './problem-document.ts'
import type { StatusListener } from './response-status.ts'
import type { Refusal, Work } from './work.ts'

/**
 * Whether something is open to a session that lacks the second factor that the organization requires. `first`: only to
 * set up the first one, so not to a person who has a passkey and did not use it.
 */
export type WithoutSecondFactor = boolean | 'first'

/**
 * An endpoint as data: Express, ajv, the OpenAPI document and the completeness test all read it. `read`, `change` and
 * `customChange` (`define-route.ts`) create it.
 */
export interface Route<Caller = unknown, Result = unknown> {
  readonly kind: RouteKind
  /** Names the endpoint and its test file: `webhooks.create` is tested in `test/webhooks/create.test.ts`. */
  readonly operationId: string
  readonly method: Method
  /** In Express syntax: `/webhooks/:id`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** Who may call the route. There is no default. */
  readonly auth: Auth
  /** Requires that the person of a session has confirmed their identity in the last 5 minutes. */
  readonly confirmed?: boolean
  /** Whether it is open to a session that lacks the second factor that the organization requires. */
  readonly withoutSecondFactor?: WithoutSecondFactor
  /** Refuses sessions under impersonation. */
  readonly refusesImpersonation?: boolean
  /** Ignores an Idempotency-Key. For bodies with a password or a code, of which not even a hash is stored. */
  readonly ignoresIdempotencyKey?: boolean
  /** Responds 503 `webhooks_unavailable` without a secrets store. */
  readonly needsSecretsStore?: boolean
  /**
   * Why a read takes no turn of its organization (docs/specification/fairness.md#reads): it reads no records, a few records
   * by their ids, or it is a stream, whose number is limited. Without it, every read takes one.
   */
  readonly withoutTurn?: 'no records' | 'few records by id' | 'stream'
  /** The format of its errors, if clients of OAuth read them. Default: problem documents alone. */
  readonly errorFormat?: ErrorFormat
  /** Whether it takes bodies as `application/x-www-form-urlencoded`: besides JSON, or only them. Default: only JSON. */
  readonly forms?: BodyForms
  /** Converts the fields of a form to the body that JSON would have. Default: the fields as they are. */
  readForm?(fields: Readonly<Record<string, unknown>>): unknown
  readonly params: TObject | undefined
  readonly query: TObject | undefined
  readonly body: TSchema | undefined
  /** The schema of the body in the documents, if the use case validates the body instead of `body`. */
  readonly documentedBody?: TSchema
  /** Its successful responses. A handler of a route with one response returns the body of that. */
  readonly returns: readonly [ResponseShape, ...ResponseShape[]]
  /** The problems it returns in addition to those that its other members imply. */
  readonly problems: readonly ProblemCode[]
  /**
   * Does slow work, such as hashing a password, before the transaction of a change opens. Its result is
   * `prepared` in the request of {@link Route.handle}.
   */
  prepare?(request: PreparationRequest<Caller>, services: Services): Promise<unknown>
  handle(request: HandlerRequest<Caller>, services: Services): Promise<Result>
  /**
   * Repeats the use case's own checks of the caller before its stored response is replayed.
   *
   * @throws Problem if the caller may no longer do this.
   */
  requireReplayAllowed?(request: ReplayRequest<Caller>, services: Services): Promise<void>
}

/**
 * `read` changes nothing. `change` runs in one transaction, after which its effects follow, and takes an
 * Idempotency-Key. `customChange` changes something in transactions of its own.
 */
export type RouteKind = 'read' | 'change' | 'customChange'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Whether a route takes bodies of forms in addition to JSON, or only forms. */
export type BodyForms = 'accepted' | 'required'

/**
 * A permission: a key or a session that has it. `any`: any key or session. `session`: only a session, with the
 * permission if one is named. `service`: a service token of the internal API. `none`: credentials are neither
 * required nor read. `sign_in`: no credentials are required, and keys are refused.
 */
export type Auth = KeyPermissionName | SessionAuth | 'any' | 'service' | OpenAuth

/** Only a session may call the route: with any roles, or with the permission. */
export type SessionAuth = 'session' | { readonly session: PermissionName }

/** The caller needs no credentials. */
export type OpenAuth = 'none' | 'sign_in'

const words = new Set<Auth>(['any', 'session', 'service', 'none', 'sign_in'])

/** The `auth` that requires a permission, by a session if keys cannot have it. */
export const requirePermission = (name: PermissionName): Auth =>
  getPermission(name).sessionOnly ? { session: name } : (name as KeyPermissionName)

/** The permission that a route requires; `undefined` if it requires none. */
export function permissionOf(auth: Auth): Permission | undefined {
  if (typeof auth === 'object') return getPermission(auth.session)
  return words.has(auth) ? undefined : getPermission(auth as PermissionName)
}

/** Whether a key is refused regardless of its scopes. */
export const isSessionOnly = ({ auth }: Pick<Route, 'auth'>): boolean =>
  typeof auth === 'object' || auth === 'session' || auth === 'sign_in'

/** Whether the caller is authenticated before the body is read. */
export const needsCredentials = ({ auth }: Pick<Route, 'auth'>): boolean =>
  auth !== 'none' && auth !== 'sign_in'

/**
 * Whether the route accepts an Idempotency-Key: it changes something for an authenticated caller
 * (docs/specification/requests.md#idempotency). That page lists the changes that do not
 * (test/structure/completeness.test.ts).
 */
export const takesIdempotencyKey = (
  route: Pick<Route, 'auth' | 'kind' | 'ignoresIdempotencyKey'>,
): boolean =>
  route.kind === 'change' && needsCredentials(route) && route.ignoresIdempotencyKey !== true

/** Whether a request takes a turn of its organization: every read does, unless its definition says why not. */
export const takesTurn = ({ kind, withoutTurn }: Pick<Route, 'kind' | 'withoutTurn'>): boolean =>
  kind === 'read' && withoutTurn === undefined

/** The schema of the body, as the documents show it. */
export const documentedBodyOf = ({
  body,
  documentedBody,
}: Pick<Route, 'body' | 'documentedBody'>): TSchema | undefined => documentedBody ?? body

/** A successful response: its status, its meaning, and the schema of its body if there is one. */
export interface ResponseShape {
  readonly status: number
  readonly description: string
  readonly schema?: TSchema
  /** The media type of the body. Default: `application/json`. */
  readonly mediaType?: string
  /** The media types of the files that a request can ask for instead. */
  readonly files?: readonly string[]
}

/** The input of a handler: parsed values, never `req` or `res`. */
export interface HandlerRequest<
  Caller,
  Params = unknown,
  Query = unknown,
  Body = unknown,
  Prepared = unknown,
> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  readonly ip: string
  /** The `User-Agent` header, truncated; empty if there is none. */
  readonly userAgent: string
  /** The `Cookie` header. Only the sign-in reads it. */
  readonly cookie: string | undefined
  /** Whether the body arrived as a form. */
  readonly isForm: boolean
  /** The `Authorization` header. Only the OAuth endpoints, which need no credentials, read it. */
  readonly authorization: string | undefined
  readonly requestId: string
  /** Sets headers that are sent with any response. */
  setHeaders(headers: Readonly<Record<string, string>>): void
  /** Calls the listener with the status of the response. */
  onStatus(listener: StatusListener): void
  /** Authorizes the caller of a stream again. Returns the problem that a new request would get. */
  reauthorize(): Promise<Problem | undefined>
  /** Returns a signal that is aborted when the response is complete, or the client has disconnected. */
  whenGone(): AbortSignal
  /** The request's transaction. Only for routes that change something. */
  readonly work: Work
  /** The result of {@link Route.prepare}. */
  readonly prepared: Prepared
}

/** The input of {@link Route.prepare}. */
export type PreparationRequest<Caller, Params = unknown, Query = unknown, Body = unknown> = Omit<
  HandlerRequest<Caller, Params, Query, Body>,
  'work' | 'prepared'
>

/** The input of {@link Route.requireReplayAllowed}. */
export type ReplayRequest<Caller, Params = unknown, Query = unknown, Body = unknown> = Pick<
  HandlerRequest<Caller, Params, Query, Body>,
  'params' | 'query' | 'body' | 'caller'
>

/** The headers of a response. A repeated header, such as `Set-Cookie`, has a list of values. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>

/** Returned by handlers of routes with several responses. Other handlers return only the body. */
export class HttpResponse<Body = unknown> {
  readonly status: number
  readonly body: Body
  readonly headers: ResponseHeaders

  constructor(status: number, body: Body, headers: ResponseHeaders = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** The body type of what a handler returns, unless it refuses. */
export type BodyOf<Result> =
  Exclude<Result, Refusal> extends infer Value
    ? Value extends HttpResponse<infer Body>
      ? Body
      : Value
    : never
