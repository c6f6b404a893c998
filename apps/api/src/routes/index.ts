import type { Principal } from '../http/authenticate.ts'
import type { Route } from '../http/route.ts'
import { getMe } from './auth/me.ts'
import { getDeliveryRoute } from './webhook-deliveries/get.ts'
import { listDeliveriesRoute } from './webhook-deliveries/list.ts'
import { createWebhookRoute } from './webhooks/create.ts'
import { deleteWebhookRoute } from './webhooks/delete.ts'
import { listWebhookDeliveriesRoute } from './webhooks/deliveries.ts'
import { listEventTypesRoute } from './webhooks/event-types.ts'
import { getWebhookRoute } from './webhooks/get.ts'
import { listWebhooksRoute } from './webhooks/list.ts'
import { updateWebhookRoute } from './webhooks/update.ts'

/** Where the public API stands. */
export const publicBase = '/api/v1'

/** The one table of the public API's endpoints (contract §3). */
export const publicRoutes: readonly Route<Principal>[] = [
  getMe,
  listWebhooksRoute,
  createWebhookRoute,
  listEventTypesRoute,
  getWebhookRoute,
  updateWebhookRoute,
  deleteWebhookRoute,
  listWebhookDeliveriesRoute,
  listDeliveriesRoute,
  getDeliveryRoute,
]
