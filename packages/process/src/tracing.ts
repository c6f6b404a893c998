import type { Config } from '@hosting/core/configuration'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api'
import type { Logger } from './logger.ts'

/** The tracing of a process. */
export interface Tracing {
  /** Sends the remaining spans, within a short timeout. */
  close(): Promise<void>
}

/** Creates the spans of this service. They are no-ops until {@link startTracing} has completed. */
export const tracer = trace.getTracer('hosting-control')

/**
 * Starts tracing if the configuration names a collector. Otherwise the OpenTelemetry SDK is not loaded.
 *
 * @param name - the name of the process: `api` or `worker`.
 */
export async function startTracing(name: string, config: Config, log: Logger): Promise<Tracing> {
  const { tracesEndpoint: endpoint } = config
  if (endpoint === undefined) return { close: () => Promise.resolve() }
  const { startSdk } = await import('./tracing-sdk.ts')
  const { tracesSampler: sampler, tracesSamplerRatio: ratio } = config
  return startSdk({ name, endpoint, sampler, ratio, log })
}

/**
 * Runs a function in a span. Of an error it records only the code or the class, because the message may contain secrets.
 *
 * @param parent - the context that caused it; the current context by default.
 */
export async function inSpan<T>(
  name: string,
  { parent = context.active(), ...options }: SpanOptions & { parent?: Context },
  run: (span: Span) => Promise<T> | T,
): Promise<T> {
  const span = tracer.startSpan(name, options, parent)
  try {
    return await context.with(trace.setSpan(parent, span), () => run(span))
  } catch (error) {
    const { code, name: kind = 'Error' } = error as { code?: string; name?: string }
    span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', code ?? kind)
    throw error
  } finally {
    span.end()
  }
}

/**
 * The current span as `traceparent` (W3C Trace Context), to be stored so that later work can continue the trace;
 * `null` while tracing is off.
 */
export function currentTraceParent(): string | null {
  const carrier: { traceparent?: string } = {}
  propagation.inject(context.active(), carrier)
  return carrier.traceparent ?? null
}

/** The context that continues a trace from the result of {@link currentTraceParent}, or starts a new one for `null`. */
export const contextOf = (traceParent: string | null): Context =>
  traceParent === null
    ? ROOT_CONTEXT
    : propagation.extract(ROOT_CONTEXT, { traceparent: traceParent })
