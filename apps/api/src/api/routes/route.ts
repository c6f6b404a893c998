import type { Problem, ProblemCode } from '@hosting/core/problems'
import type { TObject, TSchema } from 'typebox'
import type { Services } from '../services.ts'
import type { HttpResponse, StatusCallback } from '../response.ts'
import type { CommittedProblem, Work } from '../work.ts'
import { needsCredentials, type RequiredAccess } from '../access/check-access.ts'

/**
 * An endpoint as data: Express, ajv, the OpenAPI document and the completeness test all read it. `read`, `change` and
 * `customChange` (`define-route.ts`) create it.
 */
export interface Route<Caller = unknown, Result = unknown> extends RequiredAccess {
  readonly kind: RouteKind
  /** Names the endpoint and its test file: `webhooks.create` is tested in `test/webhooks/create.test.ts`. */
  readonly operationId: string
  readonly method: Method
  /** In Express syntax: `/webhooks/:id`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
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
 * Whether the route accepts an Idempotency-Key: it changes something for an authenticated caller
 * (docs/specification/requests.md#idempotency).
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

/**
 * `device`: problem documents whose 400s also have `error`, equal to `code` (RFC 8628, section 3.5). `oauth`: every
 * error is `application/json` with `error` and `error_description` beside the members of the problem document (RFC
 * 6749, section 5.2). `passed_on`: the platform sends a 401, 403 or 429 to its customer, whose request had another path,
 * so the document has no `instance`.
 */
export type ErrorFormat = 'device' | 'oauth' | 'passed_on'

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
  /** Calls the callback with the status of the response. */
  onStatus(callback: StatusCallback): void
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

/** The body type of what a handler returns, unless it refuses. */
export type BodyOf<Result> =
  Exclude<Result, CommittedProblem> extends infer Value
    ? Value extends HttpResponse<infer Body>
      ? Body
      : Value
    : never
