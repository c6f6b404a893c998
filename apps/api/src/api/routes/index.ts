import type { PublicCaller } from '../access/authenticate.ts'
import type { Route } from './route.ts'
import { endPreviousSecretsRoute } from './api-key-previous-secrets.ts'
import { keyUsageRoute } from './api-key-usage.ts'
import { keyUsesRoute } from './api-key-uses.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { auditRecord, listAuditEventsRoute } from './audit-log.ts'
import { deviceLoginRoutes } from './device-login.ts'
import { eventRoutes } from './events.ts'
import { exportable } from './exports.ts'
import { impersonationRoutes } from './impersonation.ts'
import { getKeyPolicyRoute, putKeyPolicyRoute } from './key-policy.ts'
import { getMe } from './me.ts'
import { noticeRoutes } from './notices.ts'
import { passkeyRoutes } from './passkeys.ts'
import { changePasswordRoute } from './password.ts'
import { listScopesRoute } from './scopes.ts'
import { getSecurityPolicyRoute, putSecurityPolicyRoute } from './security-policy.ts'
import { sessionRoutes } from './sessions.ts'
import { getEditionRoute } from './tenant.ts'
import { exchangeTokenRoute } from './token-exchange.ts'
import { totpRoutes } from './totp.ts'
import { deliveryRoutes } from './webhook-deliveries.ts'
import { completenessRoute } from './webhook-completeness.ts'
import { eventTypeRoutes } from './webhook-events.ts'
import { getIncidentRoute, listIncidentsRoute } from './webhook-incidents.ts'
import { listenRoutes } from './webhook-listen.ts'
import { recoveryRoutes } from './webhook-recoveries.ts'
import { endpointStatsRoute } from './webhook-stats.ts'
import { testEventRoutes } from './webhook-test-events.ts'
import { endpointRoutes } from './webhooks.ts'

/** The base path of the public API. */
export const publicBase = '/api/v1'

/** The table of the public API's endpoints. */
export const publicRoutes: readonly Route<PublicCaller>[] = [
  getMe,
  exchangeTokenRoute,
  ...sessionRoutes,
  changePasswordRoute,
  ...totpRoutes,
  ...passkeyRoutes,
  ...impersonationRoutes,
  ...noticeRoutes,
  ...deviceLoginRoutes,
  getEditionRoute,
  getKeyPolicyRoute,
  putKeyPolicyRoute,
  getSecurityPolicyRoute,
  putSecurityPolicyRoute,
  listScopesRoute,
  ...apiKeyRoutes,
  keyUsageRoute,
  keyUsesRoute,
  exportable(listAuditEventsRoute, { name: 'audit-log', record: auditRecord }),
  endPreviousSecretsRoute,
  ...eventTypeRoutes,
  ...listenRoutes,
  ...endpointRoutes,
  ...testEventRoutes,
  endpointStatsRoute,
  completenessRoute,
  listIncidentsRoute,
  getIncidentRoute,
  ...recoveryRoutes,
  ...deliveryRoutes,
  ...eventRoutes,
]
