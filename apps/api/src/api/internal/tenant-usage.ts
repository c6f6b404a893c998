import { currentTimeMs } from '@hosting/core/clock'
import {
  decideUsageDays,
  usageDaysDefault,
  usageDaysMax,
  usageKeptDays,
} from '@hosting/core/directory'
import { notFound } from '@hosting/core/problems'
import { readTenantUsage, tenantEverExisted } from '@hosting/postgres/directory'
import { Type } from 'typebox'
import { read } from '../routes/define-route.ts'
import { count, idParams, strictObject } from '../schemas/common.ts'

const day = (description: string) => Type.String({ format: 'date', description })

export const tenantUsageRoute = read({
  operationId: 'internal.tenants.usage',
  path: '/tenants/:id/usage',
  summary: 'Get the daily usage of an organization',
  description: `For billing. At most ${usageDaysMax} days at once, of the last ${usageKeptDays}. Also of a deleted organization, for its last invoice. Requests are counted within 10 seconds.`,
  auth: 'service',
  params: idParams('organization'),
  query: strictObject({
    since: Type.Optional(
      day(`The first day, in UTC. Default: ${usageDaysDefault - 1} days before \`until\`.`),
    ),
    until: Type.Optional(day('The last day, in UTC. Default: today.')),
  }),
  returns: {
    status: 200,
    description: 'One item per day, including days without usage.',
    schema: strictObject({
      items: Type.Array(
        strictObject({
          date: day('The day, in UTC.'),
          requests: count(
            'The number of requests with the keys of the organization, whatever the responses.',
          ),
          events: count('The number of events that were accepted, test events included.'),
          attempts: count('The number of attempts that were started, retries included.'),
        }),
        { description: 'The days, oldest first.' },
      ),
    }),
  },
  problems: [],
  async handle({ params, query }, { database }) {
    const range = decideUsageDays(query, currentTimeMs())
    if (!(await tenantEverExisted(database.prisma, params.id))) throw notFound()
    return { items: await readTenantUsage(database, params.id, range) }
  },
})
