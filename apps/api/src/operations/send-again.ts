import {
  createUuidv7,
  currentTime,
  eventTypes,
  freezeEnvelope,
  notFound,
  Problem,
} from '@hosting/core'
import {
  findSent,
  lockWebhookEndpoint,
  publishToEndpoint,
  redeliver,
  type DeliveryRow,
  type LockedEndpoint,
} from '@hosting/postgres'
import { currentTraceParent } from '@hosting/process'
import { toDeliveryRecord } from '../records/delivery.ts'
import type { Services } from '../services.ts'
import { recordChange, type Origin } from './audit.ts'
import { addFirstJobAfter, firstJobHoldMs } from './first-jobs.ts'

/** Sends `webhook.ping` to one endpoint. */
export const ping = (services: Services, origin: Origin, endpointId: string) =>
  sendToEndpoint(services, origin, {
    endpointId,
    type: 'webhook.ping',
    data: { object_type: 'webhook', object_id: endpointId },
    audit: { action: 'webhook.ping' },
  })

/** Sends an event with the type's example data to one endpoint, even if it does not subscribe to the type. */
export const sendTestEvent = (
  services: Services,
  origin: Origin,
  { endpointId, type }: { endpointId: string; type: string },
) =>
  sendToEndpoint(services, origin, {
    endpointId,
    type,
    data: eventTypes.get(type)!.example!,
    audit: { action: 'webhook.test', details: { event_type: type } },
  })

interface SingleSend {
  readonly endpointId: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly audit: { readonly action: string; readonly details?: Record<string, unknown> }
}

/** Publishes an event to one enabled endpoint, regardless of its subscriptions. */
async function sendToEndpoint(
  services: Services,
  origin: Origin,
  { endpointId, type, data, audit }: SingleSend,
) {
  const { tx } = origin.work
  const tenantId = origin.caller.tenant.id
  const endpoint = await lockWebhookEndpoint(tx, tenantId, endpointId)
  if (!endpoint) throw notFound()
  if (!endpoint.enabled) throw new Problem('webhook_disabled')
  const [id, createdAt] = [createUuidv7(), currentTime()]
  const event = { id, tenantId, endpointId, type, createdAt }
  const payload = freezeEnvelope({
    id,
    type,
    created_at: createdAt.toISOString(),
    tenant_id: tenantId,
    data,
  })
  const heldForMs = firstJobHoldMs(services)
  const traced = { ...event, payload, traceParent: currentTraceParent() }
  const { deliveryId } = await publishToEndpoint(tx, traced, heldForMs)
  addFirstJobAfter(origin.work, services, { deliveryId, tenantId, endpointId, heldForMs })
  await recordChange(origin, { ...audit, target: { type: 'webhook', id: endpointId } })
  const delivery = newDelivery(deliveryId, { event, endpoint, redeliveryOf: null })
  return { delivery: toDeliveryRecord(delivery, [], payload) }
}

/** Creates a new delivery of the same event to the same endpoint. If the endpoint is disabled, it waits. */
export async function redeliverOne(services: Services, origin: Origin, id: string) {
  const { tx } = origin.work
  const tenantId = origin.caller.tenant.id
  const earlier = await findSent(tx, tenantId, id)
  if (!earlier) throw notFound()
  const endpoint = await lockWebhookEndpoint(tx, tenantId, earlier.endpoint_id)
  if (!endpoint) throw new Problem('conflict', { facts: { reason: 'the endpoint is deleted.' } })
  const heldForMs = endpoint.enabled ? firstJobHoldMs(services) : 0
  const [made] = await redeliver(tx, [id], heldForMs)
  if (!made) throw notFound()
  const { deliveryId } = made
  const endpointId = earlier.endpoint_id
  addFirstJobAfter(origin.work, services, { deliveryId, tenantId, endpointId, heldForMs })
  await recordChange(origin, {
    action: 'webhook.redeliver',
    target: { type: 'delivery', id },
    details: { delivery_id: deliveryId },
  })
  const event = {
    id: earlier.event_id,
    type: earlier.event_type,
    createdAt: earlier.event_created_at,
    endpointId,
  }
  const delivery = newDelivery(deliveryId, { event, endpoint, redeliveryOf: id })
  return { delivery: toDeliveryRecord(delivery, [], earlier.payload) }
}

/** A delivery as it is when it is created. */
const newDelivery = (
  id: string,
  {
    event,
    endpoint,
    redeliveryOf,
  }: {
    event: { id: string; type: string; createdAt: Date; endpointId: string }
    endpoint: LockedEndpoint
    redeliveryOf: string | null
  },
): DeliveryRow => ({
  id,
  endpoint_id: event.endpointId,
  event_id: event.id,
  event_type: event.type,
  event_created_at: event.createdAt,
  redelivery_of: redeliveryOf,
  status: endpoint.enabled ? 'queued' : 'waiting_endpoint',
  attempt_count: 0,
  next_attempt_at: endpoint.enabled ? currentTime() : null,
  completed_at: null,
  endpoint_url: endpoint.url,
  endpoint_description: endpoint.description,
  endpoint_deleted: false,
  last_attempt: null,
})
