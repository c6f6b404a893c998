import { clientAddress, notFound, Problem } from '@hosting/core'
import type { Request, RequestHandler, Response } from 'express'
import type { Services } from '../services.ts'
import type { BodyReader } from './body.ts'
import { Answer, defaultStatus, type Route } from './route.ts'
import { bodyValidator, refuseFaults, textValidator } from './validation.ts'

/** Says who calls and whether they may. @throws Problem if they may not. */
export type Gatekeeper<Caller> = (req: Request, ip: string, route: Route<Caller>) => Promise<Caller>

/** What serving a route takes besides the route. */
export interface Serving<Caller> {
  readonly services: Services
  readonly admit: Gatekeeper<Caller>
  readonly readBody: BodyReader
}

/**
 * Serves a route. The order of checks (contract §1) is the order of these lines: the gatekeeper's (401,
 * address, rate, session, scope, role), then the secrets store, then path, query and body.
 */
export function serve<Caller>(
  route: Route<Caller>,
  { services, admit, readBody }: Serving<Caller>,
): RequestHandler {
  const params = route.params && textValidator(route.params)
  const query = route.query && textValidator(route.query)
  const body = route.body && bodyValidator(route.body)
  const trustedProxies = services.config.trustedProxies

  return async (req, res) => {
    res.locals['operation'] = route.operation
    const ip = clientAddress(
      req.socket.remoteAddress ?? '',
      req.get('x-forwarded-for'),
      trustedProxies,
    )
    const caller = await admit(req, ip, route)
    if (route.needsSecretsStore && !services.secrets) throw new Problem('webhooks_unavailable')
    if (params && params(req.params).length > 0) throw notFound()
    const queryValues = { ...req.query }
    if (query) refuseFaults(query(queryValues))
    const bodyValue = body && (await readBody(req, res))
    if (body) refuseFaults(body(bodyValue))
    const result = await route.handle(
      { params: req.params, query: queryValues, body: bodyValue, caller, ip, requestId: req.id },
      services,
    )
    send(res, result instanceof Answer ? result : new Answer(defaultStatus(route), result))
  }
}

function send(res: Response, { status, body }: Answer): void {
  res.statusCode = status
  if (body === undefined) {
    res.end()
    return
  }
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json')
  res.end(JSON.stringify(body))
}
