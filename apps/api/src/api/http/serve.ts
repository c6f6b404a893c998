import type { Logger } from '@hosting/process'
import type { Request, RequestHandler, Response } from 'express'
import type { Services } from '../services.ts'
import { createBodyReader, isForm } from './body.ts'
import { clientAddressOf } from './client-address.ts'
import { sendEvents } from './event-stream.ts'
import { EventStream, type HttpResponse, RecordStream } from '../response.ts'
import type { Authenticator } from '../access/authenticator.ts'
import { setHeaders } from './headers.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import type { Route } from '../routes/route.ts'
import { needsCredentials } from '../access/required-access.ts'
import { setStatus } from './response-status.ts'
import { sendRecords } from './record-stream.ts'
import { answerInTime } from './response-time.ts'
import { runRoute, schemasOf, toArrival } from './run-route.ts'

/** What {@link serve} needs in addition to the route. */
export interface Serving<Caller> {
  readonly services: Services
  readonly authenticator: Authenticator<Caller>
  /** The maximum size of a body, in bytes. */
  readonly bodyBytesMax: number
  /** Runs before a method that a path does not have is refused. @throws Problem to refuse it for another reason. */
  readonly beforeUnserved?: (req: Request, res: Response) => Promise<void>
}

/** The maximum size of a body without credentials, in bytes. */
const openBodyBytesMax = 16 * 2 ** 10

/** Serves a route: runs it for each request and sends the response. */
export function serve<Caller>(route: Route<Caller>, serving: Serving<Caller>): RequestHandler {
  const { services, authenticator, bodyBytesMax } = serving
  const readBody = createBodyReader(
    needsCredentials(route) ? bodyBytesMax : Math.min(bodyBytesMax, openBodyBytesMax),
    { forms: route.forms, readForm: route.readForm },
  )
  // Compiles the schemas at startup instead of in the first request.
  schemasOf(route)
  return async (req, res) => {
    const { operationId, errorFormat } = route
    Object.assign(res.locals, {
      operation: operationId,
      path: req.baseUrl + route.path,
      ...(errorFormat && { errorFormat }),
    })
    const response = await answerInTime({ log: services.log, req }, (waitForClient) =>
      runRoute({
        services,
        authenticator,
        arrival: toArrival({ req, res, ip: clientAddressOf(services, req), route }),
        input: {
          params: req.params,
          query: req.query,
          isForm: isForm(req),
          readBody: () => waitForClient(readBody(req, res)),
          readIdempotencyKey: () => idempotencyKeyOf(req),
        },
      }),
    )
    await sendBody(res, response, services.log)
  }
}

async function sendBody(res: Response, response: HttpResponse, log: Logger): Promise<void> {
  const { body, headers } = response
  if (body instanceof EventStream) return sendEvents(res, body, log)
  if (!(body instanceof RecordStream)) return send(res, response)
  setHeaders(res, headers)
  return sendRecords(res, body, log)
}

function send(res: Response, { status, body, headers }: HttpResponse): void {
  setStatus(res, status)
  setHeaders(res, headers)
  if (body === undefined) {
    res.end()
    return
  }
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json')
  res.end(JSON.stringify(body))
}
