import { writeIncidentNotices } from '@hosting/postgres/notices'
import type { TestApi } from '../../../../test/support/api.ts'
import { recordAttempts as recordMade } from '../../../../test/support/recorded-attempts.ts'
import type { Subscriber } from './delivery-list.ts'

/** Records attempts and writes the notices of incidents as workers do: `FFS` is two failures and a success. */
export async function recordAttempts(
  api: TestApi,
  { tenant, webhookId }: Pick<Subscriber, 'tenant' | 'webhookId'> & Partial<Subscriber>,
  results: string,
): Promise<string[]> {
  const made = Array.from(results, (result, index) => ({
    tenantId: tenant.id,
    endpointId: webhookId,
    startedAt: new Date(Date.now() - 5_000 + index),
    statusCode: result === 'S' ? 204 : 503,
    errorClass: result === 'S' ? null : 'http_error',
  }))
  await recordMade(api.database.pool, made)
  await writeIncidentNotices(api.database, 100)
  return made.map(({ startedAt }) => startedAt.toISOString())
}
