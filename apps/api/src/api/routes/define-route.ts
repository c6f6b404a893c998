import type { SecretsStore } from '@hosting/core/secrets-store'
import type { ProblemCode } from '@hosting/core/problems'
import type { Static, TObject, TSchema } from 'typebox'
import type { RecordOf } from '../schemas/common.ts'
import type { Services } from '../services.ts'
import type { Caller, ServiceCaller, SessionCaller } from '../access/caller.ts'
import type {
  HandlerRequest,
  Method,
  ReplayRequest,
  ResponseShape,
  Route,
  RouteKind,
} from './route.ts'
import type { Auth, OpenAuth, SessionAuth } from '../access/check-access.ts'
import type { HttpResponse } from '../response.ts'
import type { CommittedProblem } from '../work.ts'

/** The caller of a route, by its `auth`. */
type CallerOf<A extends Auth> = A extends OpenAuth
  ? undefined
  : A extends 'service'
    ? ServiceCaller
    : A extends SessionAuth
      ? SessionCaller
      : Caller

/** The names of the parameters of a path: `id` of `/webhooks/:id`. */
export type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** The values of a path's parameters. */
export type PathParams<Path extends string> = { readonly [Name in PathNames<Path>]: string }

/** A path with parameters needs the schema of each. */
type ParamsOf<Path extends string> = [PathNames<Path>] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: TObject<Record<PathNames<Path>, TSchema>> }

type Returns = ResponseShape | readonly [ResponseShape, ...ResponseShape[]]

/** The body of a response, as its schema describes it. The body of another media type is not checked. */
type BodyFor<Shape> = Shape extends { readonly mediaType: string }
  ? unknown
  : Shape extends { readonly schema: infer Schema extends TSchema }
    ? RecordOf<Schema>
    : undefined

/** What a handler returns: the body of the one response, or a response of which it decides the status or headers. */
type ResultOf<R extends Returns> = R extends readonly (infer Shape)[]
  ? HttpResponse<BodyFor<Shape>>
  : BodyFor<R> extends undefined
    ? void | HttpResponse<undefined>
    : BodyFor<R> | HttpResponse<BodyFor<R>>

/** The services of a handler. A route that needs the secrets store is not run without it. */
type ServicesFor<NeedsSecrets extends boolean> = NeedsSecrets extends true
  ? Services & { readonly secrets: SecretsStore }
  : Services

/** What every definition has; see {@link Route}. */
interface Definition<
  A extends Auth,
  Path extends string,
  Query extends TObject,
  Body extends TSchema,
  R extends Returns,
  NeedsSecrets extends boolean,
> extends Pick<
  Route,
  | 'operationId'
  | 'summary'
  | 'description'
  | 'withoutSecondFactor'
  | 'withoutTurn'
  | 'errorFormat'
  | 'forms'
  | 'readForm'
  | 'documentedBody'
> {
  readonly path: Path
  readonly auth: A
  readonly needsSecretsStore?: NeedsSecrets
  readonly query?: Query
  readonly body?: Body
  /** The successful response, or several if the handler decides which. */
  readonly returns: R
  readonly problems: readonly ProblemCode[]
}

/** A person's session may have to be confirmed for a change. */
interface Confirmation<A extends Auth> {
  readonly confirmed?: A extends OpenAuth | 'service' ? never : true
  readonly refusesImpersonation?: A extends OpenAuth | 'service' ? never : true
}

type RequestOf<
  A extends Auth,
  Path extends string,
  Query extends TObject,
  Body extends TSchema,
  Prepared = undefined,
> = HandlerRequest<CallerOf<A>, PathParams<Path>, Static<Query>, Static<Body>, Prepared>

/**
 * Defines a route that changes nothing. The types of its handler's request and result follow from `auth`, `path` and
 * the schemas.
 */
export const read = <
  const A extends Auth,
  const Path extends string,
  const R extends Returns,
  Result extends ResultOf<R>,
  Query extends TObject,
  Body extends TSchema,
  NeedsSecrets extends boolean = false,
>(
  definition: Definition<A, Path, Query, Body, R, NeedsSecrets> &
    ParamsOf<Path> & {
      /** Default: `GET`. */
      readonly method?: 'POST'
      handle(
        request: Omit<RequestOf<A, Path, Query, Body>, 'work' | 'prepared'>,
        services: ServicesFor<NeedsSecrets>,
      ): Promise<Result>
    },
): Route<CallerOf<A>, Result> => toRoute('read', { method: 'GET', ...definition })

/**
 * Defines a route that changes something in one transaction, `work.tx`, and takes an Idempotency-Key. The types of
 * its handler's request and result follow from `auth`, `path` and the schemas.
 */
export const change = <
  const A extends Auth,
  const Path extends string,
  const R extends Returns,
  Result extends ResultOf<R> | CommittedProblem,
  Query extends TObject,
  Body extends TSchema,
  NeedsSecrets extends boolean = false,
  Prepared = undefined,
>(
  definition: Definition<A, Path, Query, Body, R, NeedsSecrets> &
    Confirmation<A> &
    ParamsOf<Path> & {
      readonly method: Exclude<Method, 'GET'>
      readonly ignoresIdempotencyKey?: A extends OpenAuth ? never : true
      prepare?(
        request: Omit<RequestOf<A, Path, Query, Body>, 'work' | 'prepared'>,
        services: ServicesFor<NeedsSecrets>,
      ): Promise<Prepared>
      handle(
        request: RequestOf<A, Path, Query, Body, Prepared>,
        services: ServicesFor<NeedsSecrets>,
      ): Promise<Result>
      requireReplayAllowed?(
        request: ReplayRequest<CallerOf<A>, PathParams<Path>, Static<Query>, Static<Body>>,
        services: ServicesFor<NeedsSecrets>,
      ): Promise<void>
    },
): Route<CallerOf<A>, Result> => toRoute('change', definition)

/**
 * Defines a route that changes something in transactions of its own, without an Idempotency-Key. Use `change` unless
 * one transaction cannot do it.
 */
export const customChange = <
  const A extends Auth,
  const Path extends string,
  const R extends Returns,
  Result extends ResultOf<R>,
  Query extends TObject,
  Body extends TSchema,
  NeedsSecrets extends boolean = false,
>(
  definition: Definition<A, Path, Query, Body, R, NeedsSecrets> &
    Confirmation<A> &
    ParamsOf<Path> & {
      readonly method: Exclude<Method, 'GET'>
      handle(
        request: Omit<RequestOf<A, Path, Query, Body>, 'work' | 'prepared'>,
        services: ServicesFor<NeedsSecrets>,
      ): Promise<Result>
    },
): Route<CallerOf<A>, Result> => toRoute('customChange', definition)

/**
 * The schemas have validated what a handler receives, and `run-route.ts` requires the secrets store, so the values have
 * the types of the definition.
 */
function toRoute<For, Result>(kind: RouteKind, definition: object): Route<For, Result> {
  const { returns, ...members } = definition as { returns: Returns }
  return {
    params: undefined,
    query: undefined,
    body: undefined,
    ...members,
    kind,
    returns: [returns].flat(),
  } as unknown as Route<For, Result>
}
