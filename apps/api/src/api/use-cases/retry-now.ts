import { conflict, notFound, Problem } from '@hosting/core/problems'
import {
  findChangedDelivery,
  findDeliveryEndpoint,
  retryDeliveryNow,
  retryEndpointNow,
} from '@hosting/postgres/deliveries'
import { lockEndpoint } from '@hosting/postgres/webhooks'
import { toDeliveryRecord } from '../records/delivery.ts'
import { recordChange, type RequestContext } from './audit.ts'

/** Makes the next attempt of every delivery of an endpoint due now that waits for a retry. Returns their number. */
export async function retryEndpoint(
  context: RequestContext,
  id: string,
): Promise<{ deliveries: number }> {
  const { tx } = context.work
  const endpoint = await lockEndpoint(tx, context.caller.tenant.id, id)
  if (!endpoint) throw notFound()
  if (!endpoint.enabled) throw new Problem('webhook_disabled')
  const deliveries = await retryEndpointNow(tx, id)
  await recordChange(context, {
    action: 'webhook.retry_now',
    target: { type: 'webhook', id },
    details: { deliveries },
  })
  return { deliveries }
}

/** Makes the next attempt of a delivery due now, if it waits for a retry. */
export async function retryDelivery(context: RequestContext, id: string) {
  const { tx } = context.work
  const tenantId = context.caller.tenant.id
  const endpointId = await findDeliveryEndpoint(tx, tenantId, id)
  if (endpointId === undefined) throw notFound()
  const endpoint = await lockEndpoint(tx, tenantId, endpointId)
  const isDue =
    endpoint?.enabled === true && (await retryDeliveryNow(tx, { deliveryId: id, endpointId }))
  if (!isDue) {
    throw conflict('the delivery is not waiting for a retry.')
  }
  await recordChange(context, {
    action: 'webhook.retry_now',
    target: { type: 'webhook', id: endpointId },
    details: { delivery_id: id },
  })
  const { delivery, attempts, payload } = (await findChangedDelivery(tx, tenantId, id))!
  return { delivery: toDeliveryRecord(delivery, attempts, payload) }
}
