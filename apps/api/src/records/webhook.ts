import { currentTime, lastOverlapEnd } from '@hosting/core'
import type { WebhookEndpointRow } from '@hosting/postgres'

/** An endpoint as the API returns it. */
export function toWebhookRecord(
  row: WebhookEndpointRow,
  waitingDeliveries: number,
  now = currentTime(),
) {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    description: row.description,
    enabled: row.enabled,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    disabled_at: row.disabledAt,
    secret_rotated_at: row.secretRotatedAt,
    previous_secret_expires_at: lastOverlapEnd(row.secrets, now),
    last_success_at: row.health?.lastSuccessAt ?? null,
    last_failure_at: row.health?.lastFailureAt ?? null,
    waiting_deliveries: waitingDeliveries,
  }
}

/** An endpoint as the API returns it. */
export type WebhookRecord = ReturnType<typeof toWebhookRecord>
