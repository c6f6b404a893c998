import type { Config } from '@hosting/core'
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

/** What traces the process. */
export interface Tracing {
  /** Sends what is not sent yet, if that is soon done. */
  close(): Promise<void>
}

/** Makes the spans of this service; until {@link startTracing} has started, they are nothing. */
export const tracer = trace.getTracer('hosting-control')

/**
 * Starts tracing if the configuration names a collector. Only then the OpenTelemetry SDK is loaded.
 *
 * @param name - of the process: `api` or `worker`.
 */
export async function startTracing(name: string, config: Config, log: Logger): Promise<Tracing> {
  const { tracesEndpoint: endpoint } = config
  if (endpoint === undefined) return { close: () => Promise.resolve() }
  const { startSdk } = await import('./tracing-sdk.ts')
  const { tracesSampler: sampler, tracesSamplerRatio: ratio } = config
  return startSdk({ name, endpoint, sampler, ratio, log })
}

/**
 * Does work in a span. Of an error it says the kind alone: its message may hold anything.
 *
 * @param parent - the context of what caused the work; the one under way if left out.
 */
export async function inSpan<T>(
  name: string,
  { parent = context.active(), ...options }: SpanOptions & { parent?: Context },
  work: (span: Span) => Promise<T> | T,
): Promise<T> {
  const span = tracer.startSpan(name, options, parent)
  try {
    return await context.with(trace.setSpan(parent, span), () => work(span))
  } catch (error) {
    const { code, name: kind = 'Error' } = error as { code?: string; name?: string }
    span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', code ?? kind)
    throw error
  } finally {
    span.end()
  }
}

/**
 * The span under way as text, for whoever goes on with its trace from what is stored (W3C Trace Context,
 * `traceparent`); null while tracing is off.
 */
export function currentTraceParent(): string | null {
  const carrier: { traceparent?: string } = {}
  propagation.inject(context.active(), carrier)
  return carrier.traceparent ?? null
}

/** The context to go on with: of a text that {@link currentTraceParent} gave, or a new trace. */
export const contextOf = (traceParent: string | null): Context =>
  traceParent === null
    ? ROOT_CONTEXT
    : propagation.extract(ROOT_CONTEXT, { traceparent: traceParent })
