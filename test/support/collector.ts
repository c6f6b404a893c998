import { startReceiver, type Receiver } from './receiver.ts'

/** The fields of a received span that tests read. */
export interface CollectedSpan {
  /** Of the process. */
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  /** Empty for the root span of a trace. */
  readonly parentSpanId: string
  /** OTLP's number of the kind: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly attributes: Readonly<Record<string, string | number>>
  /** The ids of the linked traces. */
  readonly linkedTraceIds: readonly string[]
  readonly failed: boolean
}

/** A trace collector: OTLP over HTTP with JSON. */
export interface Collector extends Receiver {
  readonly endpoint: string
  readonly spans: readonly CollectedSpan[]
}

/** Starts a collector. */
export async function startCollector(): Promise<Collector> {
  const receiver = await startReceiver({ respond: () => ({ status: 200, body: '{}' }) })
  return Object.defineProperties(receiver, {
    endpoint: { value: receiver.url.slice(0, -1) },
    spans: { get: () => receiver.requests.flatMap(({ body }) => spansOf(body)) },
  }) as Collector
}

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number }
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

interface OtlpSpan extends Pick<CollectedSpan, 'name' | 'traceId' | 'spanId' | 'kind'> {
  readonly parentSpanId?: string
  readonly attributes: readonly Attribute[]
  readonly links?: readonly { readonly traceId: string }[]
  readonly status: { readonly code: number }
}

const spansOf = (body: Buffer): CollectedSpan[] =>
  (JSON.parse(body.toString()) as ExportRequest).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, links = [], status, parentSpanId = '', ...span }) => ({
        ...span,
        parentSpanId,
        service: String(toValues(resource.attributes)['service.name']),
        attributes: toValues(attributes),
        linkedTraceIds: links.map(({ traceId }) => traceId),
        failed: status.code === 2,
      })),
    ),
  )

const toValues = (attributes: readonly Attribute[]): Record<string, string | number> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']),
  )
