import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { listKeyUsage, type DailyUsage } from '@hosting/postgres/api-keys'
import { Type } from 'typebox'
import { read } from './define-route.ts'
import { getVisibleKey } from '../use-cases/key-access.ts'
import { keyParams } from '../schemas/api-key.ts'
import { count, strictObject } from '../schemas/common.ts'

const days = 30

export const keyUsageRoute = read({
  operationId: 'api-keys.usage',
  path: '/api-keys/:id/usage',
  summary: 'Get the daily requests of a key',
  description:
    'The last 30 days in UTC, today first. A request counts on the day it arrived, with its refusal, once its response is known.',
  auth: 'apikeys.read',
  params: keyParams,
  returns: {
    status: 200,
    description: 'One item per day.',
    schema: strictObject({
      items: Type.Array(
        strictObject({
          date: Type.String({ format: 'date', description: 'The day, in UTC.' }),
          requests: count('The number of requests with a valid secret, whatever the responses.'),
          refused: count('The number of requests that got a 403.'),
          rate_limited: count('The number of requests that got a 429.'),
        }),
        { description: 'The days, today first.' },
      ),
    }),
  },
  problems: [],
  async handle({ caller, params }, { database }) {
    await getVisibleKey(database.prisma, caller, params.id)
    const now = currentTimeMs()
    const dates = Array.from({ length: days }, (_, index) =>
      new Date(now - index * dayMs).toISOString().slice(0, 10),
    )
    const counts = await listKeyUsage(database, params.id, dates.at(-1)!)
    return { items: dates.map((date) => ({ date, ...toOutcomes(counts.get(date)) })) }
  },
})

const toOutcomes = ({ requests, refused, rateLimited }: DailyUsage = unused) => ({
  requests,
  refused,
  rate_limited: rateLimited,
})

const unused: DailyUsage = { requests: 0, refused: 0, rateLimited: 0 }
