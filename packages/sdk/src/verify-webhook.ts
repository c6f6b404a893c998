/** An event as it is delivered (docs/specification/webhooks.md#envelope). */
export interface WebhookEvent {
  /** UUID of the event: the same on every attempt and redelivery. Use it to drop duplicates. */
  readonly id: string
  /** For example `site.created`. New types may appear at any time. Ignore types that you do not handle. */
  readonly type: string
  /** When the event occurred, ISO 8601 in UTC. Deliveries arrive in any order; sort by this. */
  readonly created_at: string
  /** UUID of the organization. */
  readonly tenant_id: string
  /** The fields of the type, among them `object_type` and `object_id`. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface VerifyWebhookOptions {
  /** Maximum difference between the signing time and now, in seconds; default: 300. */
  readonly toleranceSeconds?: number
  /** The receiver's clock, in ms since 1970 or as a Date; default: `Date.now`. */
  readonly now?: () => number | Date
}

/**
 * How far the timestamp may differ from the receiver's clock, in seconds (docs/specification/webhooks.md#signature).
 * Repeats `signatureToleranceSeconds` of packages/core/src/webhooks/limits.ts, which lists the other copies.
 */
export const toleranceSecondsDefault = 300
const encoder = new TextEncoder()

/**
 * Verifies a delivery and returns its event (docs/specification/webhooks.md#signature). Runs wherever Web
 * Crypto does.
 *
 * @param rawBody - the body exactly as received, before any JSON parsing.
 * @param header - the value of the header whose name ends in `-Signature`.
 * @param secret - the endpoint's whole signing secret, with `whsec_`; or several, any of which may match.
 * @throws WebhookVerificationError whose `reason` names the failed check.
 * @throws TypeError for a wrong call: no secret, or a body that is already parsed.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  header: string | null | undefined,
  secret: string | readonly string[],
  options: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const body = toBytes(rawBody)
  const secrets = toSecrets(secret)
  const { t, v1 } = parseSignatureHeader(header)
  if (!isRecent(Number(t), options))
    throw new WebhookVerificationError('timestamp_out_of_tolerance')
  if (!(await isSigned(concatenate(encoder.encode(`${t}.`), body), v1, secrets))) {
    throw new WebhookVerificationError('signature_mismatch')
  }
  return parseEvent(body)
}

function toBytes(rawBody: string | Uint8Array): Uint8Array {
  if (typeof rawBody === 'string') return encoder.encode(rawBody)
  if (ArrayBuffer.isView(rawBody)) return rawBody
  throw new TypeError('verifyWebhook needs the raw body, as a string or bytes, before it is parsed')
}

function toSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret
  // An unset variable must not become an empty key, which anyone can use to sign.
  if (secrets?.length > 0 && secrets.every((each) => typeof each === 'string' && each !== '')) {
    return secrets
  }
  throw new TypeError('verifyWebhook needs a signing secret')
}

function isRecent(
  unixSeconds: number,
  { toleranceSeconds = toleranceSecondsDefault, now = Date.now }: VerifyWebhookOptions,
): boolean {
  return Math.abs(Number(now()) - unixSeconds * 1_000) <= toleranceSeconds * 1_000
}

/** Whether any signature was made with any of the secrets. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
  secrets: readonly string[],
): Promise<boolean> {
  const expected = await Promise.all(secrets.map((secret) => sign(signed, secret)))
  return expected.some((each) => signatures.some((signature) => isSame(each, signature)))
}

/** Computes the HMAC-SHA-256, keyed with the whole secret, in lowercase hex. */
async function sign(signed: Uint8Array<ArrayBuffer>, secret: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const bytes = encoder.encode(secret)
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const code = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
  return Array.from(code, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Compares in constant time, so that the duration does not reveal how much of a forged signature matches.
 * `crypto.subtle.verify` does too, but would hash the body again for every `v1` of an attacker.
 */
function isSame(expected: string, given: string): boolean {
  if (given.length !== expected.length) return false
  let difference = 0
  for (let at = 0; at < expected.length; at++) {
    difference |= expected.charCodeAt(at) ^ given.charCodeAt(at)
  }
  return difference === 0
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

function parseEvent(body: Uint8Array): WebhookEvent {
  const event = parseJson(body)
  if (!isEvent(event)) throw new WebhookVerificationError('body_not_event')
  return event
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    throw new WebhookVerificationError('body_not_json', { cause })
  }
}

function isEvent(value: unknown): value is WebhookEvent {
  if (!isObject(value) || !isObject(value['data'])) return false
  return ['id', 'type', 'created_at', 'tenant_id'].every((name) => typeof value[name] === 'string')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The parsed signature header. */
export interface SignatureHeader {
  /** The signing time, exactly as written, because the signature covers these characters. */
  readonly t: string
  /** Every `v1` value, as written. */
  readonly v1: readonly string[]
}

/**
 * Parses the header. Reads `t` and every `v1`; ignores items that later schemes may add.
 *
 * @throws WebhookVerificationError unless there is exactly one `t`, a number, and at least one `v1`.
 */
export function parseSignatureHeader(header: string | null | undefined): SignatureHeader {
  if (!header) throw new WebhookVerificationError('header_missing')
  const items = header.split(',')
  const valuesOf = (name: string): string[] =>
    items.filter((item) => item.startsWith(`${name}=`)).map((item) => item.slice(name.length + 1))
  const [t, ...moreTimes] = valuesOf('t')
  const v1 = valuesOf('v1')
  // The signature covers only one of two times, and the other must not be the one that is checked.
  const isComplete = t !== undefined && /^\d+$/.test(t) && moreTimes.length === 0 && v1.length > 0
  if (!isComplete) throw new WebhookVerificationError('header_malformed')
  return { t, v1 }
}

const messages = {
  header_missing: 'The request has no signature header.',
  header_malformed: 'The signature header does not have the form t=<unix_seconds>,v1=<hex>.',
  timestamp_out_of_tolerance:
    'The timestamp of the signature is too far in the past or in the future.',
  signature_mismatch: 'No signature in the header matches the body and the secret.',
  body_not_json: 'The body is signed, but is not JSON.',
  body_not_event: 'The body is signed, but is not an event.',
} as const

/** Which check a delivery failed. Codes are never renamed; new ones may be added. */
export type WebhookVerificationReason = keyof typeof messages

/** Thrown for a delivery that cannot be trusted. Respond with 400 and do not process its body. */
export class WebhookVerificationError extends Error {
  /** The failed check. */
  readonly reason: WebhookVerificationReason

  constructor(reason: WebhookVerificationReason, options?: ErrorOptions) {
    super(messages[reason], options)
    this.name = 'WebhookVerificationError'
    this.reason = reason
  }
}
