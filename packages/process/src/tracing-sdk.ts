// Loaded only where traces are sent: see tracing.ts.
import type { Config } from '@hosting/core'
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
import { outsideOfWork } from './log-context.ts'
import type { Logger } from './logger.ts'
import type { Tracing } from './tracing.ts'

/** A collector that is away does not hold the end of a process up for longer, in ms. */
const flushMsMax = 2_000

/** Sends spans to a collector from now on; the exporter reads `OTEL_EXPORTER_OTLP_HEADERS` and its like itself. */
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
    // What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say stands over the name of ours.
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

/** The samplers of the standard, by the names that OTEL_TRACES_SAMPLER gives them. */
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
  // It runs by a timer that whatever made the first span of a batch happened to start.
  const tell = outsideOfWork((reason: string) => log.warn({ reason }, 'spans are not sent'))
  return { error: tell, warn: tell, info: tell, debug: tell, verbose: tell }
}
