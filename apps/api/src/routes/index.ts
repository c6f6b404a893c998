import type { PublicCaller } from '../http/authenticate.ts'
import type { Route } from '../http/route.ts'
import { createKeyRoute } from './api-keys/create.ts'
import { getKeyRoute } from './api-keys/get.ts'
import { listKeysRoute } from './api-keys/list.ts'
import { revokeKeyRoute } from './api-keys/revoke.ts'
import { rotateKeyRoute } from './api-keys/rotate.ts'
import { listScopesRoute } from './api-keys/scopes.ts'
import { updateKeyRoute } from './api-keys/update.ts'
import { keyUsageRoute } from './api-keys/usage.ts'
import { listAuditEventsRoute } from './audit-log/list.ts'
import { startDeviceLoginRoute } from './auth/device/code.ts'
import {
  approveDeviceRequestRoute,
  getDeviceRequestRoute,
  refuseDeviceRequestRoute,
} from './auth/device/requests.ts'
import { pollDeviceLoginRoute } from './auth/device/token.ts'
import { startImpersonationRoute } from './auth/impersonation/start.ts'
import { stopImpersonationRoute } from './auth/impersonation/stop.ts'
import { getMe } from './auth/me.ts'
import { changePasswordRoute } from './auth/password.ts'
import { revokeByTokenRoute } from './auth/revoke.ts'
import { confirmSessionRoute } from './auth/session/confirm.ts'
import { createSessionRoute } from './auth/session/create.ts'
import { deleteSessionRoute } from './auth/session/delete.ts'
import { getSessionRoute } from './auth/session/get.ts'
import { listSessionsRoute } from './auth/sessions/list.ts'
import { revokeSessionRoute } from './auth/sessions/revoke.ts'
import { enrolTotpRoute } from './auth/totp/enrol.ts'
import { removeTotpRoute } from './auth/totp/remove.ts'
import { verifyTotpRoute } from './auth/totp/verify.ts'
import { getEditionRoute } from './tenant/edition.ts'
import { getDeliveryRoute } from './webhook-deliveries/get.ts'
import { listDeliveriesRoute } from './webhook-deliveries/list.ts'
import { redeliverRoute } from './webhook-deliveries/redeliver.ts'
import { createWebhookRoute } from './webhooks/create.ts'
import { deleteWebhookRoute } from './webhooks/delete.ts'
import { listWebhookDeliveriesRoute } from './webhooks/deliveries.ts'
import { listEventTypesRoute } from './webhooks/event-types.ts'
import { getWebhookRoute } from './webhooks/get.ts'
import { listWebhooksRoute } from './webhooks/list.ts'
import { listenRoute } from './webhooks/listen.ts'
import { pingWebhookRoute } from './webhooks/ping.ts'
import { cancelRecoveryRoute, getRecoveryRoute, recoverRoute } from './webhooks/recoveries.ts'
import { rotateSecretRoute } from './webhooks/rotate-secret.ts'
import { webhookStatsRoute } from './webhooks/stats.ts'
import { testWebhookRoute } from './webhooks/test.ts'
import { updateWebhookRoute } from './webhooks/update.ts'

/** Where the public API stands. */
export const publicBase = '/api/v1'

/** The one table of the public API's endpoints (docs/specification/index.md). */
export const publicRoutes: readonly Route<PublicCaller>[] = [
  getMe,
  createSessionRoute,
  getSessionRoute,
  deleteSessionRoute,
  confirmSessionRoute,
  listSessionsRoute,
  revokeSessionRoute,
  changePasswordRoute,
  enrolTotpRoute,
  verifyTotpRoute,
  removeTotpRoute,
  startImpersonationRoute,
  stopImpersonationRoute,
  revokeByTokenRoute,
  startDeviceLoginRoute,
  pollDeviceLoginRoute,
  getDeviceRequestRoute,
  approveDeviceRequestRoute,
  refuseDeviceRequestRoute,
  getEditionRoute,
  listScopesRoute,
  listKeysRoute,
  createKeyRoute,
  getKeyRoute,
  updateKeyRoute,
  revokeKeyRoute,
  rotateKeyRoute,
  keyUsageRoute,
  listAuditEventsRoute,
  listWebhooksRoute,
  createWebhookRoute,
  listEventTypesRoute,
  listenRoute,
  getWebhookRoute,
  updateWebhookRoute,
  deleteWebhookRoute,
  pingWebhookRoute,
  testWebhookRoute,
  rotateSecretRoute,
  listWebhookDeliveriesRoute,
  webhookStatsRoute,
  recoverRoute,
  getRecoveryRoute,
  cancelRecoveryRoute,
  listDeliveriesRoute,
  getDeliveryRoute,
  redeliverRoute,
]
