import type { KeyObject } from 'node:crypto'
import { signatureHeader, standardWebhooksHeaders } from './signature.ts'

/** How deliveries are named. Configured for the whole installation. */
export interface DeliveryNaming {
  readonly webhookHeaderPrefix: string
  readonly webhookUserAgent: string
}

/** What the names of the service's own headers start with by default. */
export const deliveryHeaderPrefix = 'Service'

/** The names where nothing else is configured. */
export const defaultNaming: DeliveryNaming = {
  webhookHeaderPrefix: deliveryHeaderPrefix,
  webhookUserAgent: 'Service-Webhooks/1',
}

/** What a delivery is signed and sent with. */
export interface DeliveryHeadersInput {
  /** The bytes, or a text that is sent in UTF-8. */
  readonly body: Uint8Array | string
  /** The valid signing secrets, or keys created from them, newest first. */
  readonly secrets: readonly (string | KeyObject)[]
  readonly deliveryId: string
  readonly eventType: string
  /** The time of the signature. */
  readonly unixSeconds: number
  /** For the headers of Standard Webhooks: the keys of those secrets that have one, newest first. */
  readonly standard?:
    | { readonly eventId: string; readonly keys: readonly (Uint8Array | KeyObject)[] }
    | undefined
  /** The endpoint's custom headers. A header of the service replaces a custom one with its name. */
  readonly custom?: Readonly<Record<string, string>> | undefined
  /** The configured names. */
  readonly naming?: DeliveryNaming
}

/** The headers of a delivery (docs/specification/webhooks.md#headers). */
export function deliveryHeaders({
  body,
  secrets,
  deliveryId,
  eventType,
  unixSeconds,
  standard,
  custom,
  naming: { webhookHeaderPrefix, webhookUserAgent } = defaultNaming,
}: DeliveryHeadersInput): Record<string, string> {
  const own = {
    'Content-Type': 'application/json',
    'User-Agent': webhookUserAgent,
    [`${webhookHeaderPrefix}-Event`]: eventType,
    [`${webhookHeaderPrefix}-Delivery`]: deliveryId,
    [`${webhookHeaderPrefix}-Timestamp`]: String(unixSeconds),
    [`${webhookHeaderPrefix}-Signature`]: signatureHeader(body, secrets, unixSeconds),
    ...(standard &&
      standard.keys.length > 0 &&
      standardWebhooksHeaders({ body, unixSeconds, ...standard })),
  }
  return custom ? { ...withoutNames(custom, own), ...own } : own
}

/** A name may have been reserved after the header was saved, with `WEBHOOK_HEADER_PREFIX`. */
function withoutNames(
  custom: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const taken = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  return Object.fromEntries(
    Object.entries(custom).filter(([name]) => !taken.has(name.toLowerCase())),
  )
}

/** A header of an attempt's request. `value` is undefined if it is hidden. */
export interface ShownHeader {
  readonly name: string
  readonly value: string | undefined
}

/**
 * The headers of an attempt's request, for people (docs/specification/deliveries.md#request-headers). They are
 * not stored but computed again. Signatures and the values of custom headers are hidden.
 */
export function shownAttemptHeaders({
  deliveryId,
  eventType,
  startedAt,
  standardEventId,
  customNames = [],
  naming,
}: {
  deliveryId: string
  eventType: string
  startedAt: Date
  /** The event's id, if the endpoint gets the headers of Standard Webhooks. */
  standardEventId?: string | undefined
  /** The names of the endpoint's custom headers. */
  customNames?: readonly string[]
  /** The configured names. */
  naming?: DeliveryNaming
}): readonly ShownHeader[] {
  const unixSeconds = Math.floor(startedAt.getTime() / 1_000)
  const standard =
    standardEventId === undefined
      ? undefined
      : { eventId: standardEventId, keys: [new Uint8Array(32)] }
  const part = { body: '', secrets: [], deliveryId, eventType, unixSeconds }
  const headers = deliveryHeaders({ ...part, standard, ...(naming && { naming }) })
  return [
    ...Object.entries(headers).map(([name, value]) => ({
      name,
      value: /signature$/i.test(name) ? undefined : value,
    })),
    ...customNames.map((name) => ({ name, value: undefined })),
  ]
}
