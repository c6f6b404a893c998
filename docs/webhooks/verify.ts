import {
  verifyWebhook,
  WebhookVerificationError,
  type VerifyWebhookOptions,
  type WebhookEvent,
  type WebhookVerificationReason,
} from '@hosting/sdk'

/** A genuine event, or the reason for refusing the delivery. */
export type Received = { event: WebhookEvent } | { refused: WebhookVerificationReason }

/**
 * Verifies a delivery.
 *
 * @param body - the raw body, as received.
 * @param header - the value of Service-Signature.
 * @param secrets - usually one, with its whsec_; any of them may match.
 */
export async function receive(
  body: Uint8Array,
  header: string | undefined,
  secrets: readonly string[],
  options?: VerifyWebhookOptions,
): Promise<Received> {
  try {
    return { event: await verifyWebhook(body, header, secrets, options) }
  } catch (error) {
    if (error instanceof WebhookVerificationError) return { refused: error.reason }
    throw error
  }
}
