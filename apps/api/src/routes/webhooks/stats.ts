import { notFound } from '@hosting/core'
import { readAttemptStats, webhookEndpointEverExisted } from '@hosting/postgres'
import { Type } from 'typebox'
import { route } from '../public-route.ts'
import { idParams, nullable, strictObject, time } from '../schemas.ts'

const minuteMs = 60_000

/** Each window's buckets; they begin at whole multiples of their length, and the last one is under way. */
const windows = {
  '1h': { bucketMs: 5 * minuteMs, buckets: 12 },
  '24h': { bucketMs: 60 * minuteMs, buckets: 24 },
  '7d': { bucketMs: 24 * 60 * minuteMs, buckets: 7 },
} as const

type Window = keyof typeof windows

export const webhookStatsRoute = route({
  operation: 'webhooks.stats',
  method: 'GET',
  path: '/webhooks/:id/stats',
  summary: 'Show the attempts of an endpoint over time',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams,
  query: strictObject({
    window: Type.Optional(
      Type.Unsafe<Window>({ type: 'string', enum: Object.keys(windows), default: '24h' }),
    ),
  }),
  answers: {
    200: {
      description: 'Attempts by bucket, oldest first. Durations are null where there was none.',
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
  async handle({ caller, params, query }, { database }) {
    if (!(await webhookEndpointEverExisted(database.prisma, caller.tenant.id, params.id))) {
      throw notFound()
    }
    const { window = '24h' } = query
    const { bucketMs, buckets } = windows[window]
    const startMs = (Math.floor(Date.now() / bucketMs) - buckets + 1) * bucketMs
    return {
      window,
      buckets: await readAttemptStats(database, params.id, { startMs, bucketMs, buckets }),
    }
  },
})
