import { notFound } from '@hosting/core'
import { findDelivery } from '@hosting/postgres'
import { toDeliveryRecord } from '../../records/delivery.ts'
import { route } from '../public-route.ts'
import { deliveryRecord, idParams, strictObject } from '../schemas.ts'

export const getDeliveryRoute = route({
  operation: 'webhook-deliveries.get',
  method: 'GET',
  path: '/webhook-deliveries/:id',
  summary: 'Get a delivery with its attempts and payload',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams,
  answers: {
    200: { description: 'The delivery.', schema: strictObject({ delivery: deliveryRecord }) },
  },
  problems: [],
  async handle({ caller, params }, { database, readTurns }) {
    const tenantId = caller.tenant.id
    const found = await readTurns.run(tenantId, () => findDelivery(database, tenantId, params.id))
    if (!found) throw notFound()
    return { delivery: toDeliveryRecord(found.delivery, found.attempts, found.payload) }
  },
})
