import { notFound } from '@hosting/core/problems'
import { endpointEverExisted } from '@hosting/postgres/webhooks'
import { Type } from 'typebox'
import { read } from './define-route.ts'
import { readStats, type StatsWindow, statsWindows } from '../use-cases/attempt-stats.ts'
import { count, idParams, nullable, strictObject, text, time } from '../schemas/common.ts'

export const endpointStatsRoute = read({
  operationId: 'webhooks.stats',
  path: '/webhooks/:id/stats',
  summary: 'Get the attempts of an endpoint over time',
  description: 'Counts attempts, not deliveries. Pings, test events and redeliveries also count.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams('endpoint'),
  query: strictObject({
    window: Type.Optional(
      Type.Unsafe<StatsWindow>({
        type: 'string',
        enum: Object.keys(statsWindows),
        default: '24h',
        description:
          'The time span, which ends now: `1h` in buckets of 5 minutes, `24h` of an hour, `7d` of a day.',
      }),
    ),
  }),
  returns: {
    status: 200,
    description:
      'Attempts by bucket, oldest first, in UTC. Durations are null in buckets without attempts; those of 128 ms and more are rounded by up to 0.8%.',
    schema: strictObject({
      window: text('The time span of the request.'),
      buckets: Type.Array(
        strictObject({
          start: time('When the bucket starts.'),
          succeeded: count('The number of attempts that succeeded.'),
          failed: count('The number of attempts that failed.'),
          p50_ms: nullable(
            count('The median duration of the attempts, in ms. Null without attempts.'),
          ),
          p95_ms: nullable(
            count(
              'The duration that 95% of the attempts did not exceed, in ms. Null without attempts.',
            ),
          ),
        }),
        { description: 'The buckets, oldest first. The last one is not over yet.' },
      ),
    }),
  },
  problems: [],
  async handle({ caller, params, query }, services) {
    const owner = { tenantId: caller.tenant.id, endpointId: params.id }
    const { prisma } = services.database
    if (!(await endpointEverExisted(prisma, owner.tenantId, params.id))) throw notFound()
    const { window = '24h' } = query
    return { window, buckets: await readStats(services, owner, window) }
  },
})
