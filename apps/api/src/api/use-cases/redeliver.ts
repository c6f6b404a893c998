import { conflict, notFound } from '@hosting/core/problems'
import {
  chooseInBulk,
  findSent,
  redeliver,
  withExpectedStart,
  type BulkKind,
} from '@hosting/postgres/deliveries'
import { lockEndpoint } from '@hosting/postgres/webhooks'
import { toDeliveryRecord, toNewDelivery } from '../records/delivery.ts'
import type { Needs } from '../services.ts'
import { recordChange, type RequestContext } from './audit.ts'
import { addFirstJobAfter } from '../publishing/first-jobs.ts'

/**
 * Creates a new delivery of the same event to the same endpoint. If the endpoint is disabled, it waits.
 *
 * @param kinds - only a delivery of one of these kinds is redelivered, as it is once the endpoint is locked: of two requests
 * at the same time, one makes a delivery. Default: any.
 */
export async function redeliverOne(
  services: Needs<'attempts' | 'database' | 'jobAdmission' | 'log' | 'metrics'>,
  context: RequestContext,
  { id, kinds }: { readonly id: string; readonly kinds?: readonly BulkKind[] },
) {
  const { tx } = context.work
  const tenantId = context.caller.tenant.id
  const earlier = await findSent(tx, tenantId, id)
  if (!earlier) throw notFound()
  const endpoint = await lockEndpoint(tx, tenantId, earlier.endpointId)
  if (!endpoint) throw conflict('the endpoint is deleted.')
  if (kinds && !kinds.includes((await chooseInBulk(tx, [id])).get(id)!)) {
    throw conflict('a delivery of the event is in progress or has arrived.')
  }
  const { endpointId } = earlier
  const heldForMs = endpoint.enabled ? services.jobAdmission.holdMsOf({ tenantId, endpointId }) : 0
  const [created] = await redeliver(tx, [id], heldForMs)
  if (!created) throw notFound()
  const { deliveryId, dueAt } = created
  addFirstJobAfter(context.work, services, { deliveryId, tenantId, endpointId, heldForMs })
  await recordChange(context, {
    action: 'webhook.redeliver',
    target: { type: 'delivery', id },
    details: { delivery_id: deliveryId },
  })
  const event = {
    id: earlier.eventId,
    type: earlier.eventType,
    createdAt: earlier.eventCreatedAt,
    endpointId,
    subject: {
      objectId: earlier.objectId ?? '',
      accountId: earlier.accountId,
      name: earlier.eventName,
    },
  }
  const queued = toNewDelivery(deliveryId, { event, endpoint, dueAt, redeliveryOf: id })
  const delivery = await withExpectedStart(tx, queued)
  return { delivery: toDeliveryRecord(delivery, [], earlier.payload) }
}
