import { clientAddress } from '@hosting/core/network'
import type { Logger } from '@hosting/process'
import type { Request, RequestHandler, Response } from 'express'
import type { Services } from '../services.ts'
import { answerInTime } from './answer-in-time.ts'
import { createBodyReader, isForm } from './body.ts'
import { EventStream, type HttpResponse, RecordStream, type StreamMessage } from '../response.ts'
import type { Authenticator } from '../access/authenticator.ts'
import { onStatus, runRoute, schemasOf, setHeaders, setStatus, toArrival } from './run-route.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import type { Route } from '../routes/route.ts'
import { needsCredentials } from '../access/check-access.ts'
import { authenticateKey } from '../access/authenticate.ts'
import { once } from 'node:events'

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

/** The IP address of the client of a request. */
export const clientAddressOf = (services: Services, req: Request): string =>
  clientAddress(req.socket.remoteAddress ?? '', req.get('x-forwarded-for'), {
    trustedProxies: services.config.trustedProxies,
    onUnreadable: (entry) => warnOnce(services, entry),
  })

const warned = new WeakSet<Services>()

/** Logs once per process, because every request may have the same entry. */
function warnOnce(services: Services, entry: string): void {
  if (warned.has(services)) return
  warned.add(services)
  services.log.warn(
    { entry: entry.slice(0, 100) },
    'a trusted proxy sent an X-Forwarded-For entry that is not an address',
  )
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

/**
 * Authenticates and charges the key of a request that no route serves, if it has one. Every request with a key counts
 * (docs/specification/requests.md#rate-limit-of-a-key).
 *
 * @throws Problem as {@link authenticateKey} does.
 */
export async function chargeUnserved(services: Services, req: Request, res: Response) {
  const authorization = req.get('authorization')
  if (authorization === undefined) return
  await authenticateKey(services, {
    authorization,
    ip: clientAddressOf(services, req),
    route: 'none',
    operation: null,
    requestId: req.id,
    setHeaders: (headers) => setHeaders(res, headers),
    onStatus: (callback) => onStatus(res, callback),
  })
}

/** Sends the texts with backpressure: the next one is requested when the client has read the last one. */
async function sendRecords(res: Response, { source }: RecordStream, log: Logger): Promise<void> {
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  setStatus(res, 200)
  res.setHeader('Content-Type', source.mediaType)
  if (res.destroyed || res.req.method === 'HEAD') gone.abort()
  try {
    if (!gone.signal.aborted) await sendTexts(res, source.texts(gone.signal), gone.signal)
  } catch (error) {
    // The status is already sent. A response that is cut off shows the client that records are missing.
    log.warn({ err: error, requestId: res.req.id }, 'an export was cut off')
    res.destroy()
  }
  // Before the end, so that a client that has read everything can start its next export.
  await source.close()
  res.end()
}

async function sendTexts(
  res: Response,
  texts: AsyncIterable<string>,
  gone: AbortSignal,
): Promise<void> {
  for await (const text of texts) {
    if (gone.aborted) return
    if (!res.write(text)) await untilDrained(res, gone)
  }
}

/** A client that reads nothing for this time, in ms, is disconnected. Shorter than the time a process has to drain. */
const stalledMsMax = 10_000

/** Sends the messages with backpressure: the next one is requested when the client has read the last one. */
async function sendEvents(res: Response, stream: EventStream, log: Logger): Promise<void> {
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  setStatus(res, 200)
  res.setHeader('Content-Type', 'text/event-stream')
  // Tells proxies not to buffer the response, which would delay every message.
  res.setHeader('X-Accel-Buffering', 'no')
  res.flushHeaders()
  if (res.destroyed || res.req.method === 'HEAD') gone.abort()
  try {
    for await (const message of stream.open(gone.signal)) {
      if (gone.signal.aborted) break
      if (!res.write(toText(message))) await untilDrained(res, gone.signal)
    }
    res.end()
  } catch (error) {
    // The status is already sent, so the only way to report the error is to close the connection.
    log.error({ err: error, requestId: res.req.id }, 'a stream failed because of a defect')
    res.destroy()
  }
}

function toText(message: StreamMessage): string {
  if ('comment' in message) return `: ${message.comment}\n\n`
  const name = message.event === undefined ? '' : `event: ${message.event}\n`
  // JSON.stringify() writes no line breaks.
  return `${name}data: ${JSON.stringify(message.data)}\n\n`
}

/** Waits until the client has read what was written. A client that reads nothing is disconnected. */
async function untilDrained(res: Response, gone: AbortSignal): Promise<void> {
  const stalled = setTimeout(() => res.destroy(), stalledMsMax)
  await once(res, 'drain', { signal: gone }).catch(() => undefined)
  clearTimeout(stalled)
}
