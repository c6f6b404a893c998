const messages = {
  header_missing: 'The request has no Service-Signature header.',
  header_malformed: 'The Service-Signature header is not of the form t=<unix_seconds>,v1=<hex>.',
  timestamp_out_of_tolerance: 'The signature was made too long ago, or in the future.',
  signature_mismatch: 'No signature of the header fits the body and the secret.',
  body_not_json: 'The body is signed, but is not JSON.',
  body_not_event: 'The body is signed, but is not an event.',
} as const

/** Which rule a delivery failed. Codes are never renamed; new ones may be added. */
export type WebhookVerificationReason = keyof typeof messages

/** A delivery that is not to be trusted. Answer it with 400, and do not act on its body. */
export class WebhookVerificationError extends Error {
  /** Which rule it failed, for programs. */
  readonly reason: WebhookVerificationReason

  constructor(reason: WebhookVerificationReason, options?: ErrorOptions) {
    super(messages[reason], options)
    this.name = 'WebhookVerificationError'
    this.reason = reason
  }
}
