import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { endpointsMax } from '@hosting/core/webhooks'
import { listExpiringKeys, listMostUsedKeys } from '@hosting/postgres/api-keys'
import { listEndpoints, noActivity, readEndpointActivity } from '@hosting/postgres/webhooks'
import type { Caller } from '../access/caller.ts'
import { toEndpointRecord } from '../records/endpoint.ts'
import type { Needs } from '../services.ts'
import { readIssues } from './attention.ts'
import { readChartStats, type StatsWindow } from './attempt-stats.ts'
import { seesAllKeys } from './key-access.ts'

const usageDays = 7
const keysMax = 6
const expiringKeysMax = 10

/** Reads the keys that were used most in the last days, of those that the caller may see. */
export const readMostUsedKeys = ({ database }: Needs<'database'>, caller: Caller) =>
  listMostUsedKeys(database, recentUsageOf(caller), keysMax)

/** Reads the keys that expire soon, of those that the caller may see, and their number. */
export const readExpiringKeys = ({ database }: Needs<'database'>, caller: Caller) =>
  listExpiringKeys(database, recentUsageOf(caller), expiringKeysMax)

/** The keys that the caller may see, and the first of the days whose requests are counted. */
const recentUsageOf = (caller: Caller) => ({
  tenantId: caller.tenant.id,
  ownerId: seesAllKeys(caller) ? undefined : caller.user.id,
  since: new Date(currentTimeMs() - (usageDays - 1) * dayMs).toISOString().slice(0, 10),
})

/**
 * Reads the endpoints of the caller's organization and what is wrong with them, and all attempts including those of
 * deleted endpoints.
 */
export async function readTraffic(
  services: Needs<'database'>,
  caller: Caller,
  window: StatsWindow,
) {
  const { prisma } = services.database
  const rows = await listEndpoints(prisma, {
    tenantId: caller.tenant.id,
    beforeId: undefined,
    take: endpointsMax,
  })
  const ids = rows.map(({ id }) => id)
  const [activity, stats] = await Promise.all([
    readEndpointActivity(prisma, ids),
    readChartStats(services, { tenantId: caller.tenant.id }, window),
  ])
  const endpoints = rows.map((row) => toEndpointRecord(row, activity.get(row.id) ?? noActivity))
  return { endpoints, stats, issues: await readIssues(services, caller.tenant.id, endpoints) }
}
