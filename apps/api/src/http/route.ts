import {
  getPermission,
  type Permission,
  type PermissionName,
  type Problem,
  type ProblemCode,
} from '@hosting/core'
import type { Static, TObject, TSchema } from 'typebox'
import type { Services } from '../services.ts'
import type { Work } from './work.ts'

/** An endpoint as data: Express, ajv, the OpenAPI document and the completeness test all read it. */
export interface Route<Caller = unknown, Result = unknown> {
  /** Names the endpoint and its test file: `webhooks.create` is tested in `test/webhooks/create.test.ts`. */
  readonly operationId: string
  readonly method: Method
  /** In Express syntax: `/webhooks/:id`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** Who may call the route: a permission or one of the words below. There is no default. */
  readonly auth: Auth
  /** Refuses keys, even if the route requires a permission. */
  readonly sessionOnly?: boolean
  /** Requires that the person of a session has confirmed their identity in the last 5 minutes. */
  readonly confirmed?: boolean
  /** Refuses sessions under impersonation. */
  readonly refusesImpersonation?: boolean
  /** Whether it changes something. If so, it runs in one transaction and accepts an Idempotency-Key. */
  readonly changes?: boolean
  /** Ignores an Idempotency-Key. For bodies with a password or a code, of which not even a hash is stored. */
  readonly ignoresIdempotencyKey?: boolean
  /** Responds 503 `webhooks_unavailable` without a secrets store. */
  readonly needsSecretsStore?: boolean
  /** Whether its 400 responses also have `error`, equal to `code`, for clients of RFC 8628, section 3.5. */
  readonly codeAsError?: boolean
  readonly params: TObject | undefined
  readonly query: TObject | undefined
  readonly body: TSchema | undefined
  /** The schema of the body in the documents, if the use case validates the body instead of `body`. */
  readonly documentedBody?: TSchema
  readonly responses: Readonly<Partial<Record<number, ResponseShape>>>
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

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * `any`: any key or session. `session`: only a session. `service`: a service token of the internal API.
 * `none`: credentials are neither required nor read. `sign_in`: no credentials are required, and keys are refused.
 */
export type Auth = PermissionName | (typeof words)[number]

const words = ['any', 'session', 'service', 'none', 'sign_in'] as const

/** The permission that a route requires; `undefined` for the other words. */
export const permissionOf = (auth: Auth): Permission | undefined =>
  words.some((word) => word === auth) ? undefined : getPermission(auth as PermissionName)

/** Whether a key is refused regardless of its scopes. */
export const isSessionOnly = ({
  auth,
  sessionOnly,
}: Pick<Route, 'auth' | 'sessionOnly'>): boolean =>
  sessionOnly === true ||
  auth === 'session' ||
  auth === 'sign_in' ||
  permissionOf(auth)?.sessionOnly === true

/** Whether the caller is authenticated before the body is read. */
export const needsCredentials = ({ auth }: Pick<Route, 'auth'>): boolean =>
  auth !== 'none' && auth !== 'sign_in'

/** Whether the route accepts an Idempotency-Key: it changes something for an authenticated caller. */
export const takesIdempotencyKey = (
  route: Pick<Route, 'auth' | 'changes' | 'ignoresIdempotencyKey'>,
): boolean =>
  route.changes === true && needsCredentials(route) && route.ignoresIdempotencyKey !== true

/** The schema of the body, as the documents show it. */
export const documentedBodyOf = ({
  body,
  documentedBody,
}: Pick<Route, 'body' | 'documentedBody'>): TSchema | undefined => documentedBody ?? body

/** The meaning of a response, and the schema of its body if there is one. */
export interface ResponseShape {
  readonly description: string
  readonly schema?: TSchema
  /** The media type of the body. Default: `application/json`. */
  readonly mediaType?: string
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
  readonly requestId: string
  /** Sets headers that are sent with any response. */
  setHeaders(headers: Readonly<Record<string, string>>): void
  /** Authorizes the caller of a stream again. Returns the problem that a new request would get. */
  reauthorize(): Promise<Problem | undefined>
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

/** The body type of what a handler returns. */
export type BodyOf<Result> = Result extends HttpResponse<infer Body> ? Body : Result

/** The definition from which {@link routesFor} creates a route. */
export interface RouteDefinition<
  Caller,
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Result,
  Prepared = undefined,
> extends Omit<
  Route<Caller>,
  'params' | 'query' | 'body' | 'prepare' | 'handle' | 'requireReplayAllowed'
> {
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  prepare?(
    request: PreparationRequest<Caller, Static<Params>, Static<Query>, Static<Body>>,
    services: Services,
  ): Promise<Prepared>
  handle(
    request: HandlerRequest<Caller, Static<Params>, Static<Query>, Static<Body>, Prepared>,
    services: Services,
  ): Promise<Result>
  requireReplayAllowed?(
    request: ReplayRequest<Caller, Static<Params>, Static<Query>, Static<Body>>,
    services: Services,
  ): Promise<void>
}

/** Creates routes for one kind of caller. The route's schemas type the input of its handler. */
export const routesFor =
  <Caller>() =>
  <
    Params extends TObject,
    Query extends TObject,
    Body extends TSchema,
    Result,
    Prepared = undefined,
  >(
    definition: RouteDefinition<Caller, Params, Query, Body, Result, Prepared>,
  ): Route<Caller, Result> => ({
    ...definition,
    params: definition.params,
    query: definition.query,
    body: definition.body,
    // The schemas have validated the values, so the values have the types of the schemas.
    handle: (request, services) => definition.handle(request as never, services),
    ...(definition.prepare && {
      prepare: (request, services) => definition.prepare!(request as never, services),
    }),
    ...(definition.requireReplayAllowed && {
      requireReplayAllowed: (request, services) =>
        definition.requireReplayAllowed!(request as never, services),
    }),
  })

/** The status of the route's first response. A handler that returns only a body gets this status. */
export const defaultStatus = (route: Route): number => Number(Object.keys(route.responses)[0])
