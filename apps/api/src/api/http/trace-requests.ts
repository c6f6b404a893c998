import { tracer } from '@hosting/process'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
} from '@opentelemetry/api'
import type { Express, Response } from 'express'
import type { Services } from '../services.ts'

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
