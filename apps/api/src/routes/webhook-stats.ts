import { notFound } from '@hosting/core'
import { webhookEndpointEverExisted } from '@hosting/postgres'
import { Type } from 'typebox'
import { readStats, type StatsWindow, statsWindows } from '../use-cases/attempt-stats.ts'
import { route } from './public-route.ts'
import { idParams, nullable, strictObject, time } from './schemas.ts'

export const webhookStatsRoute = route({
  operationId: 'webhooks.stats',
  method: 'GET',
  path: '/webhooks/:id/stats',
  summary: 'Get the attempts of an endpoint over time',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams,
  query: strictObject({
    window: Type.Optional(
      Type.Unsafe<StatsWindow>({ type: 'string', enum: Object.keys(statsWindows), default: '24h' }),
    ),
  }),
  responses: {
    200: {
      description:
        'Attempts by bucket, oldest first, in UTC. Durations are null in buckets without attempts; those of 128 ms and more are rounded by up to 0.8%.',
      schema: strictObject({
        window: Type.String(),
        buckets: Type.Array(
          strictObject({
            start: time,
            succeeded: Type.Integer(),
            failed: Type.Integer(),
            p50_ms: nullable(Type.Integer()),
            p95_ms: nullable(Type.Integer()),
          }),
        ),
      }),
    },
  },
  problems: [],
  async handle({ caller, params, query }, services) {
    const owner = { tenantId: caller.tenant.id, endpointId: params.id }
    const { prisma } = services.database
    if (!(await webhookEndpointEverExisted(prisma, owner.tenantId, params.id))) throw notFound()
    const { window = '24h' } = query
    const read = () => readStats(services, owner, window)
    return { window, buckets: await services.readTurns.run(owner.tenantId, read) }
  },
})
