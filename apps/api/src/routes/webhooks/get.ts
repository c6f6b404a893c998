import { notFound } from '@hosting/core'
import { findWebhookEndpoint } from '@hosting/postgres'
import { countWaiting } from '../../use-cases/webhooks.ts'
import { toWebhookRecord } from '../../records/webhook.ts'
import { route } from '../public-route.ts'
import { idParams, strictObject, webhookRecord } from '../schemas.ts'

export const getWebhookRoute = route({
  operation: 'webhooks.get',
  method: 'GET',
  path: '/webhooks/:id',
  summary: 'Get an endpoint',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams,
  answers: {
    200: { description: 'The endpoint.', schema: strictObject({ webhook: webhookRecord }) },
  },
  problems: [],
  async handle({ caller, params }, { database: { prisma }, readTurns }) {
    const row = await findWebhookEndpoint(prisma, caller.tenant.id, params.id)
    if (!row) throw notFound()
    const waiting = await readTurns.run(caller.tenant.id, () => countWaiting(prisma, row.id))
    return { webhook: toWebhookRecord(row, waiting) }
  },
})
