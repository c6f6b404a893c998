/** The envelope of an event (docs/specification/webhooks.md#envelope). */
export interface Envelope {
  readonly id: string
  readonly type: string
  readonly created_at: string
  readonly tenant_id: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Serializes the envelope once, when the event is accepted. Every attempt and every redelivery sends and signs
 * exactly these bytes (UTF-8).
 */
export function freezeEnvelope({ id, type, created_at, tenant_id, data }: Envelope): string {
  return JSON.stringify({ id, type, created_at, tenant_id, data })
}
