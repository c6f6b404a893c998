import { clientAddress, notFound, Problem, type ProblemCode } from '@hosting/core'
import type { Request, RequestHandler, Response } from 'express'
import type { Services } from '../services.ts'
import type { BodyReader } from './body.ts'
import { EventStream, sendEvents } from './event-stream.ts'
import { idempotencyKeyOf, runOnce } from './idempotency.ts'
import { Answer, defaultStatus, type Route } from './route.ts'
import { bodyValidator, isUuid, refuseFaults, textValidator } from './validation.ts'
import { inWork, type Work } from './work.ts'

/** What a gatekeeper sees of a request. */
export interface Arrival<Caller> {
  readonly req: Request
  /** For headers that stand on the answer whatever it becomes. */
  readonly res: Response
  readonly ip: string
  readonly route: Route<Caller>
}

/** Lets callers in, and hears of what they are refused later. */
export interface Gatekeeper<Caller> {
  /** Says who calls. @throws Problem if they may not call this route. */
  admit(arrival: Arrival<Caller>): Promise<Caller>
  /** Judges a caller anew who was let in; costs them nothing. Gives the problem if they may not call any more. */
  judgeAgain(arrival: Arrival<Caller>, caller: Caller): Promise<Problem | undefined>
  /** Hears of a refusal by an operation. */
  noteRefusal(arrival: Arrival<Caller>, caller: Caller, problem: Problem): Promise<void>
  /** Whose Idempotency-Keys these are; `undefined` if the caller's are ignored. */
  nameCaller(caller: Caller): string | undefined
}

/** What serving a route takes besides the route. */
export interface Serving<Caller> {
  readonly services: Services
  readonly gatekeeper: Gatekeeper<Caller>
  readonly readBody: BodyReader
}

/**
 * Serves a route. The order of checks (contract §1) is the order of these lines: the gatekeeper's (401,
 * address, rate, session, scope, role), then the secrets store, then path, query and body.
 */
export function serve<Caller>(route: Route<Caller>, serving: Serving<Caller>): RequestHandler {
  const { services, gatekeeper, readBody } = serving
  const params = route.params && textValidator(route.params)
  const query = route.query && textValidator(route.query)
  const body = route.body && bodyValidator(route.body)

  async function answer(arrival: Arrival<Caller>, caller: Caller): Promise<Answer> {
    const { req, res, ip } = arrival
    if (route.needsSecretsStore && !services.secrets) throw new Problem('webhooks_unavailable')
    if (params && params(req.params).length > 0) throw notFound()
    const callerName = route.changes ? gatekeeper.nameCaller(caller) : undefined
    const idempotencyKey = callerName === undefined ? undefined : idempotencyKeyOf(req)
    const queryValues = query ? { ...req.query } : {}
    if (query) refuseFaults(query(queryValues))
    const bodyValue = body && (await readBody(req, res))
    if (body) refuseFaults(body(bodyValue))
    const given = {
      params: withCanonicalIds(req.params),
      query: queryValues,
      caller,
      ip,
      userAgent: (req.get('user-agent') ?? '').slice(0, userAgentMax),
      cookie: req.get('cookie'),
      requestId: req.id,
      judgeAgain: () => gatekeeper.judgeAgain(arrival, caller),
      setHeaders: (headers: Readonly<Record<string, string>>) => setHeaders(res, headers),
    }
    const run = async (work?: Work): Promise<Answer> => {
      const result = await route.handle({ ...given, body: bodyValue, work: work! }, services)
      return result instanceof Answer ? result : new Answer(defaultStatus(route), result)
    }
    if (!route.changes) return run()
    if (idempotencyKey === undefined || callerName === undefined) {
      return inWork(services.database, services.log, run)
    }
    const name = { caller: callerName, key: idempotencyKey }
    return runOnce(services, req, { name, body: bodyValue, run })
  }

  return async (req, res) => {
    const { operation, codeAsError } = route
    Object.assign(res.locals, { operation, codeAsError, path: req.baseUrl + route.path })
    const ip = clientAddress(
      req.socket.remoteAddress ?? '',
      req.get('x-forwarded-for'),
      services.config.trustedProxies,
    )
    const arrival = { req, res, ip, route }
    const caller = await gatekeeper.admit(arrival)
    try {
      const given = await answer(arrival, caller)
      // A refusal that is given again for an Idempotency-Key is a refusal all the same.
      if (given.status >= 400) await gatekeeper.noteRefusal(arrival, caller, problemOf(given))
      if (given.body instanceof EventStream) await sendEvents(res, given.body, services.log)
      else send(res, given)
    } catch (error) {
      if (error instanceof Problem) await gatekeeper.noteRefusal(arrival, caller, error)
      throw error
    }
  }
}

const userAgentMax = 256

const problemOf = ({ body }: Answer): Problem => new Problem((body as { code: ProblemCode }).code)

/** UUIDs are read without regard to case and written in lower case (RFC 9562, section 4). */
const withCanonicalIds = <Params extends Readonly<Record<string, unknown>>>(
  params: Params,
): Params =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value,
    ]),
  ) as Params

function send(res: Response, { status, body, headers }: Answer): void {
  res.statusCode = status
  setHeaders(res, headers)
  if (body === undefined) {
    res.end()
    return
  }
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json')
  res.end(JSON.stringify(body))
}

/** Sets headers that stand on the answer whatever it becomes. */
export function setHeaders(res: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}
