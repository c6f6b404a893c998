import type { DeliveryStatus } from '@hosting/core'
import type { StatsBucket } from '@hosting/postgres'
import type { toRecoveryRecord } from '../use-cases/recoveries.ts'
import type { toKeyRecord } from '../records/api-key.ts'
import type { toAuditRecord } from '../records/audit-event.ts'
import type { toDeliveryRecord, toDeliverySummary } from '../records/delivery.ts'
import type { toDeviceRequestRecord } from '../records/device-request.ts'
import type { toSessionItem, toSessionRecord } from '../records/session.ts'
import type { toWebhookRecord } from '../records/webhook.ts'
import type { Route } from '../http/route.ts'
import type { PublicCaller } from '../http/authenticate.ts'
import { createKeyRoute } from '../routes/api-keys/create.ts'
import { getKeyRoute } from '../routes/api-keys/get.ts'
import { listKeysRoute } from '../routes/api-keys/list.ts'
import { revokeKeyRoute } from '../routes/api-keys/revoke.ts'
import { rotateKeyRoute } from '../routes/api-keys/rotate.ts'
import { updateKeyRoute } from '../routes/api-keys/update.ts'
import { keyUsageRoute } from '../routes/api-keys/usage.ts'
import { listAuditEventsRoute } from '../routes/audit-log/list.ts'
import {
  approveDeviceRequestRoute,
  getDeviceRequestRoute,
  refuseDeviceRequestRoute,
} from '../routes/auth/device/requests.ts'
import { stopImpersonationRoute } from '../routes/auth/impersonation/stop.ts'
import { changePasswordRoute } from '../routes/auth/password.ts'
import { confirmSessionRoute } from '../routes/auth/session/confirm.ts'
import { createSessionRoute } from '../routes/auth/session/create.ts'
import { deleteSessionRoute } from '../routes/auth/session/delete.ts'
import { listSessionsRoute } from '../routes/auth/sessions/list.ts'
import { revokeSessionRoute } from '../routes/auth/sessions/revoke.ts'
import { enrolTotpRoute } from '../routes/auth/totp/enrol.ts'
import { removeTotpRoute } from '../routes/auth/totp/remove.ts'
import { verifyTotpRoute } from '../routes/auth/totp/verify.ts'
import { getDeliveryRoute } from '../routes/webhook-deliveries/get.ts'
import { listDeliveriesRoute } from '../routes/webhook-deliveries/list.ts'
import { redeliverRoute } from '../routes/webhook-deliveries/redeliver.ts'
import { createWebhookRoute } from '../routes/webhooks/create.ts'
import { deleteWebhookRoute } from '../routes/webhooks/delete.ts'
import { getWebhookRoute } from '../routes/webhooks/get.ts'
import { listWebhooksRoute } from '../routes/webhooks/list.ts'
import { pingWebhookRoute } from '../routes/webhooks/ping.ts'
import {
  cancelRecoveryRoute,
  getRecoveryRoute,
  recoverRoute,
} from '../routes/webhooks/recoveries.ts'
import { rotateSecretRoute } from '../routes/webhooks/rotate-secret.ts'
import { webhookStatsRoute } from '../routes/webhooks/stats.ts'
import { testWebhookRoute } from '../routes/webhooks/test.ts'
import { updateWebhookRoute } from '../routes/webhooks/update.ts'

export type KeyRecord = ReturnType<typeof toKeyRecord>
export type WebhookRecord = ReturnType<typeof toWebhookRecord>
export type DeliverySummary = ReturnType<typeof toDeliverySummary> & { status: DeliveryStatus }
export type DeliveryRecord = ReturnType<typeof toDeliveryRecord>
export type AuditRecord = ReturnType<typeof toAuditRecord>
export type DeviceRequestRecord = ReturnType<typeof toDeviceRequestRecord>
export type SessionItem = ReturnType<typeof toSessionItem>
type SessionRecord = ReturnType<typeof toSessionRecord>
export type RecoveryRecord = ReturnType<typeof toRecoveryRecord>

interface List<Item> {
  readonly items: readonly Item[]
  readonly next_cursor: string | null
}

/** A route of the public API as the panel uses it, with the type of its answer. */
export interface Endpoint<Answer> {
  readonly route: Route<PublicCaller>
  /** For the type alone. */
  readonly answer?: Answer
}

const endpoint = <Answer>(route: unknown): Endpoint<Answer> => ({
  // Each route has a caller type of its own kind, and the guard checks that the caller is of it.
  route: route as Route<PublicCaller>,
})

// What the panel does, it does through the API's own routes: the same guard, schemas, operations and audit.

export const listKeys = endpoint<List<KeyRecord>>(listKeysRoute)
export const createKey = endpoint<{ key: KeyRecord; token: string }>(createKeyRoute)
export const getKey = endpoint<{ key: KeyRecord }>(getKeyRoute)
export const updateKey = endpoint<{ key: KeyRecord }>(updateKeyRoute)
export const rotateKey = endpoint<{ key: KeyRecord; token: string }>(rotateKeyRoute)
export const revokeKey = endpoint<undefined>(revokeKeyRoute)
export const readKeyUsage = endpoint<{ items: readonly { date: string; requests: number }[] }>(
  keyUsageRoute,
)

export const listWebhooks = endpoint<List<WebhookRecord>>(listWebhooksRoute)
export const createWebhook = endpoint<{ webhook: WebhookRecord; secret: string }>(
  createWebhookRoute,
)
export const getWebhook = endpoint<{ webhook: WebhookRecord }>(getWebhookRoute)
export const updateWebhook = endpoint<{ webhook: WebhookRecord }>(updateWebhookRoute)
export const deleteWebhook = endpoint<undefined>(deleteWebhookRoute)
export const pingWebhook = endpoint<{ delivery: DeliveryRecord }>(pingWebhookRoute)
export const testWebhook = endpoint<{ delivery: DeliveryRecord }>(testWebhookRoute)
export const rotateSecret = endpoint<{ webhook: WebhookRecord; secret: string }>(rotateSecretRoute)
export const readStats = endpoint<{ window: string; buckets: readonly StatsBucket[] }>(
  webhookStatsRoute,
)
export const recover = endpoint<{ recovery: RecoveryRecord }>(recoverRoute)
export const getRecovery = endpoint<{ recovery: RecoveryRecord }>(getRecoveryRoute)
export const cancelRecovery = endpoint<undefined>(cancelRecoveryRoute)

export const listDeliveries = endpoint<List<DeliverySummary>>(listDeliveriesRoute)
export const getDelivery = endpoint<{ delivery: DeliveryRecord }>(getDeliveryRoute)
export const redeliver = endpoint<{ delivery: DeliveryRecord }>(redeliverRoute)

export const listAuditEvents = endpoint<List<AuditRecord>>(listAuditEventsRoute)

export const signIn = endpoint<SessionRecord>(createSessionRoute)
export const signOut = endpoint<undefined>(deleteSessionRoute)
export const confirmSession = endpoint<SessionRecord>(confirmSessionRoute)
export const stopImpersonation = endpoint<SessionRecord>(stopImpersonationRoute)
export const listSessions = endpoint<List<SessionItem>>(listSessionsRoute)
export const revokeSession = endpoint<undefined>(revokeSessionRoute)
export const changePassword = endpoint<undefined>(changePasswordRoute)
export const enrolTotp = endpoint<{ otpauth_uri: string }>(enrolTotpRoute)
export const verifyTotp = endpoint<{ recovery_codes: string[] }>(verifyTotpRoute)
export const removeTotp = endpoint<undefined>(removeTotpRoute)

export const getDeviceRequest = endpoint<{ request: DeviceRequestRecord }>(getDeviceRequestRoute)
export const approveDeviceRequest = endpoint<{ request: DeviceRequestRecord }>(
  approveDeviceRequestRoute,
)
export const refuseDeviceRequest = endpoint<{ request: DeviceRequestRecord }>(
  refuseDeviceRequestRoute,
)
