import { createSecretKey, type KeyObject } from 'node:crypto'
import { signatureHeader, type SigningKey } from './signature.ts'
import { standardWebhooksHeaders, standardWebhooksKey } from './standard-webhooks.ts'

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

/** Creates the keys of a signing secret. Signing with them is faster than with the secret. */
export function createSigningKey(secret: string): SigningKey {
  const standard = standardWebhooksKey(secret)
  return {
    whole: createSecretKey(secret, 'utf8'),
    standard: standard && createSecretKey(standard),
  }
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
