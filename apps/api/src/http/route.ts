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
  /** Names the endpoint, and its test file: `webhooks.create` is proven in `test/webhooks/create.test.ts`. */
  readonly operationId: string
  readonly method: Method
  /** Express's form: `/webhooks/:id`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** Who may call: a permission, or one of the words. There is no default. */
  readonly auth: Auth
  /** Refuses keys, also where a permission guards it. */
  readonly sessionOnly?: boolean
  /** Asks a session for a confirmation of the person's identity in the last 5 minutes. */
  readonly confirmed?: boolean
  /** Refuses a session in which somebody acts as its user. */
  readonly refusesImpersonation?: boolean
  /** Whether it changes something: then it runs in one transaction, and takes an Idempotency-Key. */
  readonly changes?: boolean
  /** Ignores an Idempotency-Key: where the request holds a password or a code, not even a hash of it is kept. */
  readonly ignoresIdempotencyKey?: boolean
  /** Answers 503 `webhooks_unavailable` without a secrets store. */
  readonly needsSecretsStore?: boolean
  /** Whether its 400s carry `error` too, equal to `code`, for clients of RFC 8628, section 3.5. */
  readonly codeAsError?: boolean
  readonly params: TObject | undefined
  readonly query: TObject | undefined
  readonly body: TSchema | undefined
  readonly responses: Readonly<Partial<Record<number, ResponseShape>>>
  /** The problems it gives besides those that its other members imply. */
  readonly problems: readonly ProblemCode[]
  /**
   * Does slow work, such as hashing a password, before the transaction of a change opens. What it gives is
   * `prepared` in the request of {@link Route.handle}.
   */
  prepare?(request: PreparationRequest<Caller>, services: Services): Promise<unknown>
  handle(request: HandlerRequest<Caller>, services: Services): Promise<Result>
  /**
   * Repeats the use case's own checks of the caller before its stored response is replayed.
   *
   * @throws Problem if the caller may no longer do this.
   */
  checkReplay?(request: ReplayRequest<Caller>, services: Services): Promise<void>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * `any`: any key or session. `session`: a signed-in session only. `service`: a service token of the internal
 * listener. `none`: no credentials, and none are looked at. `sign_in`: no credentials, and no key.
 */
export type Auth = PermissionName | (typeof words)[number]

const words = ['any', 'session', 'service', 'none', 'sign_in'] as const

/** The permission that guards a route; `undefined` where another word says who may call. */
export const permissionOf = (auth: Auth): Permission | undefined =>
  words.some((word) => word === auth) ? undefined : getPermission(auth as PermissionName)

/** Whether a key is refused whatever its scopes. */
export const isSessionOnly = ({
  auth,
  sessionOnly,
}: Pick<Route, 'auth' | 'sessionOnly'>): boolean =>
  sessionOnly === true ||
  auth === 'session' ||
  auth === 'sign_in' ||
  permissionOf(auth)?.sessionOnly === true

/** Whether only callers with credentials get as far as the route's body. */
export const needsCredentials = ({ auth }: Pick<Route, 'auth'>): boolean =>
  auth !== 'none' && auth !== 'sign_in'

/** Whether an Idempotency-Key counts: where the route changes something for a caller that is known. */
export const takesIdempotencyKey = (
  route: Pick<Route, 'auth' | 'changes' | 'ignoresIdempotencyKey'>,
): boolean =>
  route.changes === true && needsCredentials(route) && route.ignoresIdempotencyKey !== true

/** The meaning of a response, and the schema of its body if there is one. */
export interface ResponseShape {
  readonly description: string
  readonly schema?: TSchema
  /** Of the body; `application/json` unless named. */
  readonly mediaType?: string
}

/** What a handler gets: parsed values, never `req` or `res`. */
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
  /** The client's description of itself, cut short; empty if it gives none. */
  readonly userAgent: string
  /** The header `Cookie`, which the sign-in alone reads. */
  readonly cookie: string | undefined
  readonly requestId: string
  /** Sets headers that stand on the answer whatever it becomes. */
  setHeaders(headers: Readonly<Record<string, string>>): void
  /** Judges the caller anew: for an answer that goes on. Gives the problem that a new request would get. */
  judgeAgain(): Promise<Problem | undefined>
  /** The request's transaction. Only of a route that changes something. */
  readonly work: Work
  /** What {@link Route.prepare} gave. */
  readonly prepared: Prepared
}

/** What {@link Route.prepare} gets. */
export type PreparationRequest<Caller, Params = unknown, Query = unknown, Body = unknown> = Omit<
  HandlerRequest<Caller, Params, Query, Body>,
  'work' | 'prepared'
>

/** What {@link Route.checkReplay} gets. */
export type ReplayRequest<Caller, Params = unknown, Query = unknown, Body = unknown> = Pick<
  HandlerRequest<Caller, Params, Query, Body>,
  'params' | 'query' | 'body' | 'caller'
>

/** Headers of a response. A header that is sent several times, such as `Set-Cookie`, has a list of values. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>

/** What a handler returns if the route has several responses; otherwise it returns only the body. */
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

/** The body of a response, for what a handler returns. */
export type BodyOf<Result> = Result extends HttpResponse<infer Body> ? Body : Result

/** What {@link routesFor} makes a route from. */
export interface RouteDefinition<
  Caller,
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Result,
  Prepared = undefined,
> extends Omit<Route<Caller>, 'params' | 'query' | 'body' | 'prepare' | 'handle' | 'checkReplay'> {
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
  checkReplay?(
    request: ReplayRequest<Caller, Static<Params>, Static<Query>, Static<Body>>,
    services: Services,
  ): Promise<void>
}

/** Makes routes for one kind of caller, with the handler's values typed by the route's schemas. */
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
    // The boundary hands over what the schemas accepted, which is what they type.
    handle: (request, services) => definition.handle(request as never, services),
    ...(definition.prepare && {
      prepare: (request, services) => definition.prepare!(request as never, services),
    }),
    ...(definition.checkReplay && {
      checkReplay: (request, services) => definition.checkReplay!(request as never, services),
    }),
  })

/** The status of the route's first answer: what a plain returned value is sent with. */
export const defaultStatus = (route: Route): number => Number(Object.keys(route.responses)[0])
