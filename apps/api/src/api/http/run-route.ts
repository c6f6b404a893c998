import { notFound, Problem, type ProblemCode } from '@hosting/core/problems'
import { userAgentLengthMax } from '@hosting/core/sessions'
import type { Request, Response } from 'express'
import type { Services } from '../services.ts'
import { AccessLost, type Arrival, type Authenticator } from '../access/authenticator.ts'
import { runOnce } from './idempotency.ts'
import {
  takesIdempotencyKey,
  takesTurn,
  type PreparationRequest,
  type Route,
} from '../routes/route.ts'
import { HttpResponse, type ResponseHeaders, type StatusCallback } from '../response.ts'
import {
  bodyValidator,
  isUuid,
  requireValid,
  textValidator,
  type Validator,
} from '../schemas/validation.ts'
import { inWork, CommittedProblem, type Work } from '../work.ts'

/** Sets headers that are sent with any response. */
export function setHeaders(res: Response, headers: ResponseHeaders): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}

interface Locals {
  statusCallback?: StatusCallback | undefined
}

/** Calls a callback as soon as the status of the response is set, whether or not the client is still there. */
export function onStatus(res: Response, callback: StatusCallback): void {
  if (res.headersSent) callback(res.statusCode)
  else (res.locals as Locals).statusCallback = callback
}

/** Sets the status of a response that is sent next. */
export function setStatus(res: Response, status: number): void {
  res.statusCode = status
  const locals = res.locals as Locals
  const callback = locals.statusCallback
  locals.statusCallback = undefined
  callback?.(status)
}

/** The input of a run: from an HTTP request or a form of the panel. */
export interface RouteInput {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  /** Whether the body is a form of a client. */
  readonly isForm: boolean
  /** Reads the body. @throws Problem if that fails. */
  readBody(): Promise<unknown>
  /** Reads the Idempotency-Key. @throws Problem `validation_failed` */
  readIdempotencyKey(): string | undefined
}

/** A request for a route, with its response. */
export interface RouteArrival<Caller> extends Arrival {
  readonly req: Request
  readonly res: Response
  readonly route: Route<Caller>
}

/** Adds to a request what its access checks may do with the response. */
export const toArrival = <Caller>(
  arrived: Pick<RouteArrival<Caller>, 'req' | 'res' | 'ip' | 'route'>,
): RouteArrival<Caller> => ({
  ...arrived,
  setHeaders: (headers) => setHeaders(arrived.res, headers),
  onStatus: (callback) => onStatus(arrived.res, callback),
})

/** One run of a route. */
export interface RouteRun<Caller> {
  readonly services: Services
  readonly authenticator: Authenticator<Caller>
  readonly arrival: RouteArrival<Caller>
  readonly input: RouteInput
}

/** Runs a route for a request of the API or the panel. @throws Problem if it is refused. */
export async function runRoute<Caller>(run: RouteRun<Caller>): Promise<HttpResponse> {
  const { authenticator, arrival } = run
  const caller = await authenticator.admit(arrival)
  try {
    const response = await runAdmitted(run, caller)
    // A replayed refusal is recorded, too.
    if (response.status >= 400)
      await authenticator.recordRefusal(arrival, caller, problemOf(response))
    return response
  } catch (error) {
    if (error instanceof AccessLost) {
      await authenticator.recordLoss(arrival, error)
      throw error.problem
    }
    if (error instanceof Problem) await authenticator.recordRefusal(arrival, caller, error)
    throw error
  }
}

/** Runs the checks that follow {@link Authenticator.admit}, in the order that decides which problem is reported. */
async function runAdmitted<Caller>(run: RouteRun<Caller>, caller: Caller): Promise<HttpResponse> {
  const { services, authenticator, arrival, input } = run
  const { route } = arrival
  const schemas = schemasOf(route)
  if (route.needsSecretsStore && !services.secrets) throw new Problem('webhooks_unavailable')
  const params = { ...input.params }
  if (schemas.params && schemas.params(params).length > 0) throw notFound()
  const callerName = takesIdempotencyKey(route) ? authenticator.nameCaller(caller) : undefined
  const idempotencyKey = callerName === undefined ? undefined : input.readIdempotencyKey()
  const query = schemas.query ? { ...input.query } : {}
  if (schemas.query) requireValid(schemas.query(query))
  const body = schemas.body && (await input.readBody())
  if (schemas.body) requireValid(schemas.body(body))
  const given = { params: withCanonicalIds(params), query, body }
  const values = { ...given, prepared: await prepare(run, { ...given, caller }) }
  if (route.kind !== 'change') {
    const read = () => handle(run, { ...values, caller, work: undefined })
    const reader = takesTurn(route) ? authenticator.readerOf(caller, params) : undefined
    return toResponse(route, await (reader ? services.readTurns.run(reader, read) : read()))
  }

  const authorize = (work?: Work): Promise<Caller> =>
    authenticator.requireStillAdmitted(arrival, caller, work?.tx)
  const change = async (work: Work): Promise<HttpResponse | CommittedProblem> => {
    const result = await handle(run, { ...values, caller: await authorize(work), work })
    return result instanceof CommittedProblem ? result : toResponse(route, result)
  }
  if (callerName === undefined || idempotencyKey === undefined) {
    return inWork(services.database, services.log, change)
  }
  const name = { caller: callerName, key: idempotencyKey }
  const requireReplayAllowed = async (): Promise<void> =>
    route.requireReplayAllowed?.({ ...values, caller: await authorize() }, services)
  return runOnce(services, arrival.req, { name, body, authorize, change, requireReplayAllowed })
}

interface GivenValues<Caller> {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly caller: Caller
}

interface Values<Caller> extends GivenValues<Caller> {
  readonly prepared: unknown
  readonly work: Work | undefined
}

/** Preparation is expensive, so first checks that the caller did not lose access while the body arrived. */
async function prepare<Caller>(
  run: RouteRun<Caller>,
  given: GivenValues<Caller>,
): Promise<unknown> {
  const { services, authenticator, arrival } = run
  const { route } = arrival
  if (!route.prepare) return undefined
  const caller = await authenticator.requireStillAdmitted(arrival, given.caller)
  return route.prepare(requestOf(run, { ...given, caller }), services)
}

function handle<Caller>(run: RouteRun<Caller>, values: Values<Caller>): Promise<unknown> {
  const { work, prepared } = values
  const request = { ...requestOf(run, values), work: work!, prepared }
  return run.arrival.route.handle(request, run.services)
}

const toResponse = ({ returns }: Pick<Route, 'returns'>, result: unknown): HttpResponse =>
  result instanceof HttpResponse ? result : new HttpResponse(returns[0].status, result)

function requestOf<Caller>(
  { authenticator, arrival, input }: RouteRun<Caller>,
  { params, query, body, caller }: GivenValues<Caller>,
): PreparationRequest<Caller> {
  const { req, res, ip } = arrival
  return {
    params,
    query,
    body,
    caller,
    ...signInContextOf(req, ip),
    isForm: input.isForm,
    authorization: req.get('authorization'),
    reauthorize: () => reauthorize(authenticator, arrival, caller),
    setHeaders: (headers) => arrival.setHeaders(headers),
    onStatus: (callback) => arrival.onStatus(callback),
    whenGone: () => whenGone(res),
  }
}

/** Why the signals of {@link whenGone} are aborted. An error for each would take a stack trace of every request. */
const goneReason = new Error('The response is complete, or its client has disconnected.')

/** A signal that is aborted when the response is complete, or its client has disconnected. */
function whenGone(res: Response): AbortSignal {
  const gone = new AbortController()
  if (res.destroyed) gone.abort(goneReason)
  else res.once('close', () => gone.abort(goneReason))
  return gone.signal
}

/** What a sign-in stores and reads of its request. */
export const signInContextOf = (req: Request, ip: string) => ({
  ip,
  userAgent: (req.get('user-agent') ?? '').slice(0, userAgentLengthMax),
  requestId: req.id,
  cookie: req.get('cookie'),
})

/** Returns the problem that a new request of the caller would get. */
const reauthorize = <Caller>(
  authenticator: Authenticator<Caller>,
  arrival: Arrival,
  caller: Caller,
): Promise<Problem | undefined> =>
  authenticator.requireStillAdmitted(arrival, caller).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof AccessLost) return error.problem
      throw error
    },
  )

interface Schemas {
  readonly params: Validator | undefined
  readonly query: Validator | undefined
  readonly body: Validator | undefined
}

/** Compiled schemas by route. */
const compiled = new WeakMap<object, Schemas>()

/** The validators of a route's schemas. Each is compiled once. */
export function schemasOf<Caller>(route: Route<Caller>): Schemas {
  const { params, query, body } = route
  const known = compiled.get(route)
  if (known) return known
  const schemas = {
    params: params && textValidator(params),
    query: query && textValidator(query),
    body: body && bodyValidator(body),
  }
  compiled.set(route, schemas)
  return schemas
}

const problemOf = ({ body }: HttpResponse): Problem =>
  new Problem((body as { code: ProblemCode }).code)

/** UUIDs are case-insensitive on input and lower case on output (RFC 9562, section 4). */
const withCanonicalIds = (params: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value,
    ]),
  )
