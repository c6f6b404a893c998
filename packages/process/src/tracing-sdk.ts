// Loaded only if traces are sent; see tracing.ts.
import type { Config } from '@hosting/core/configuration'
import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { inOwnContext } from './log-context.ts'
import type { Logger } from './logger.ts'
import type { Tracing } from './tracing.ts'

/** Maximum time to send the last spans when the process exits, in ms, in case the collector is down. */
const flushMsMax = 2_000

/** Starts sending spans to a collector. The exporter reads `OTEL_EXPORTER_OTLP_HEADERS` and similar variables itself. */
export function startSdk({
  name,
  endpoint,
  sampler,
  ratio,
  log,
}: {
  name: string
  endpoint: string
  sampler: Config['tracesSampler']
  ratio: number
  log: Logger
}): Tracing {
  diag.setLogger(toDiagnostics(log), DiagLogLevel.WARN)
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` })
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override our name.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': `hosting-${name}`, 'host.name': hostname() }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplers[sampler](ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return {
    async close() {
      const flushed = provider.shutdown().catch(() => undefined)
      await Promise.race([flushed, setTimeout(flushMsMax, undefined, { ref: false })])
    },
  }
}

/** The standard samplers by their names in OTEL_TRACES_SAMPLER. */
const samplers: Readonly<Record<Config['tracesSampler'], (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) =>
    new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
}

function toDiagnostics(log: Logger) {
  // It runs from a timer, which starts in the request that created the first span of a batch.
  const warn = inOwnContext((reason: string) => log.warn({ reason }, 'spans could not be sent'))
  return { error: warn, warn, info: warn, debug: warn, verbose: warn }
}
