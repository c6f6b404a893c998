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
