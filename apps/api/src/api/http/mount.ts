import { notFound, Problem } from '@hosting/core/problems'
import { type Logger, redactPath, requestIdOf, tracer, withLogFields } from '@hosting/process'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
} from '@opentelemetry/api'
import express, { Router, type Express, type RequestHandler, type Response } from 'express'
import { respondWithProblems } from './problem-document.ts'
import type { ErrorFormat, Method, Route } from '../routes/route.ts'
import type { Metrics } from '../../metrics.ts'
import type { Services } from '../services.ts'
import { answerInTime } from './answer-in-time.ts'
import { serve, type Serving } from './serve.ts'

/** Creates an Express app with the common settings. Call {@link mountEnd} last. */
export function createApp(): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', 'simple')
  app.use(nameRequest)
  return app
}

/**
 * Mounts a table of routes. Refuses other methods of their paths with 405. Each first path segment has its own router,
 * so that few paths are matched per request.
 */
export function mountRoutes<Caller>(
  app: Express,
  base: string,
  routes: readonly Route<Caller>[],
  serving: Serving<Caller>,
): void {
  const groups = Map.groupBy(routes, ({ path }) => segmentOf(path))
  const routers = new Map(
    [...groups].map(([segment, group]) => [segment, routerOf(group, serving)] as const),
  )
  app.use(base, (req, res, next) => {
    const router = routers.get(segmentOf(req.url))
    if (router) router(req, res, next)
    else next()
  })
}

/** The first segment of a path, which may have a query. */
const segmentOf = (path: string): string => /^\/([^/?]*)/.exec(path)?.[1] ?? ''

function routerOf<Caller>(routes: readonly Route<Caller>[], serving: Serving<Caller>): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const paths = Map.groupBy(routes.toSorted(byStaticFirst), ({ path }) => path)
  for (const [path, ofPath] of paths) {
    const resource = router.route(path)
    const format = ofPath.find(({ errorFormat }) => errorFormat === 'oauth')?.errorFormat
    if (format) resource.all(useErrorFormat(format))
    for (const route of ofPath) resource[expressMethod(route.method)](serve(route, serving))
    const allowed = ofPath.map(({ method }) => method)
    resource.all(async (req, res) => {
      const { beforeUnserved, services } = serving
      await answerInTime({ log: services.log, req }, async () => beforeUnserved?.(req, res))
      throw methodNotAllowed(req.method, allowed)
    })
  }
  return router
}

/** Gives every error of the requests a format, including the errors of requests that no route serves. */
export const useErrorFormat =
  (errorFormat: ErrorFormat): RequestHandler =>
  (_req, res, next) => {
    Object.assign(res.locals, { errorFormat })
    next()
  }

/** Completes an app: responds 404 to unmatched requests and converts errors to problem documents. */
export function mountEnd(app: Express, log: Logger): void {
  app.use(() => {
    throw notFound()
  })
  app.use(respondWithProblems(log))
}

/** The 405 of a path, with the methods that it allows. */
export function methodNotAllowed(method: string, allowed: readonly Method[]): Problem {
  const names = allowed.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
  return new Problem('method_not_allowed', {
    facts: { method },
    headers: { Allow: names.join(', ') },
  })
}

const expressMethod = (method: Method) =>
  method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Sorts `/webhooks/event-types` before `/webhooks/:id`. */
const byStaticFirst = (a: Route<never>, b: Route<never>): number =>
  a.path.split(':').length - b.path.split(':').length

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in the response, the logs and the audit log. */
    id: string
  }
}

/** Sets the id of every request, in its response and in each of its log lines. */
const nameRequest: RequestHandler = (req, res, next) => {
  req.id = requestIdOf(req)
  res.setHeader('X-Request-Id', req.id)
  withLogFields({ requestId: req.id }, next)
}

/** Frequent requests that belong to no trace. */
const untraced = new Set(['/metrics', '/healthz', '/readyz'])

/**
 * Creates a span for every request, if tracing is on. A request to the internal API continues the caller's trace. A
 * public request starts a new trace with a link to the caller's, so that outsiders cannot decide on sampling or join
 * our traces.
 */
export function traceRequests(
  app: Express,
  { config }: Pick<Services, 'config'>,
  listener: 'public' | 'internal',
): void {
  if (config.tracesEndpoint === undefined) return
  app.use((req, res, next) => {
    if (untraced.has(req.path)) {
      next()
      return
    }
    const caller = propagation.extract(ROOT_CONTEXT, req.headers)
    const callerSpan = trace.getSpanContext(caller)
    const trusted = listener === 'internal'
    const span = tracer.startSpan(
      req.method,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': req.method, 'hosting.request.id': req.id },
        links: callerSpan && !trusted ? [{ context: callerSpan }] : [],
      },
      trusted ? caller : ROOT_CONTEXT,
    )
    res.once('close', () => endSpan(span, req.method, res))
    context.with(trace.setSpan(context.active(), span), next)
  })
}

/** Records only the template of the path, because the path itself may hold a user code or any other input. */
function endSpan(span: Span, method: string, { locals, statusCode }: Response): void {
  const { operation, path } = locals as { operation?: string; path?: string }
  if (path !== undefined) span.updateName(`${method} ${path}`).setAttribute('http.route', path)
  if (operation !== undefined) span.setAttribute('hosting.operation', operation)
  span.setAttribute('http.response.status_code', statusCode)
  if (statusCode >= 500) {
    span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', String(statusCode))
  }
  span.end()
}

/**
 * Measures the duration of every request of an app and logs server errors, or every request at level `debug`.
 * Paths are logged without their query.
 */
export function observeRequests(app: Express, { metrics, log }: Services): void {
  const timed = timers(metrics.requestSeconds)
  app.use((req, res, next) => {
    const startedAt = performance.now()
    const observe = (): void => {
      const ms = performance.now() - startedAt
      const { operation = 'none' } = res.locals as { operation?: string }
      const status = res.statusCode
      timed(operation, status).observe(ms / 1_000)
      const level = status >= 500 ? 'warn' : 'debug'
      if (!log.isLevelEnabled(level)) return
      const path = loggable(req.originalUrl)
      log[level]({ requestId: req.id, method: req.method, path, status, ms, operation }, 'request')
    }
    // The connection emits `close` outside the trace context of the request.
    res.once('close', context.bind(context.active(), observe))
    next()
  })
}

/** The path without its query, the user code of a device login, the token of a sign-in link and the secret of any token. */
const loggable = (url: string): string =>
  redactPath(url.split('?')[0]!.replace(/(\/device\/requests\/|\/sign-in\/link\/)[^/]+/, '$1…'))

type Timer = ReturnType<Metrics['requestSeconds']['labels']>

/** Looks each histogram up once: a lookup by labels costs more than an observation. */
function timers(
  histogram: Metrics['requestSeconds'],
): (operation: string, status: number) => Timer {
  const found = new Map<string, Map<number, Timer>>()
  return (operation, status) => {
    const ofOperation = found.get(operation) ?? new Map<number, Timer>()
    const timer = ofOperation.get(status) ?? histogram.labels({ operation, status })
    ofOperation.set(status, timer)
    found.set(operation, ofOperation)
    return timer
  }
}
