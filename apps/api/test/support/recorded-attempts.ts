import { createUuidv7 } from '@hosting/core/ids'
import type { TestApi } from '../../../../test/support/api.ts'
import type { Subscriber } from './delivery-list.ts'

/** Records attempts as workers do, in one statement: `FFS` is two failures and a success. */
export async function recordAttempts(
  api: TestApi,
  { tenant, webhookId }: Pick<Subscriber, 'tenant' | 'webhookId'> & Partial<Subscriber>,
  results: string,
): Promise<string[]> {
  const startedAt = Array.from(results, (_, index) => new Date(Date.now() - 5_000 + index))
  await api.database.pool.query(
    `INSERT INTO delivery_attempts
       (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class)
     SELECT id, id, $2, $3, 1, started_at, 10, status_code, error_class
     FROM unnest($1::uuid[], $4::timestamptz[], $5::int[], $6::text[])
       AS a (id, started_at, status_code, error_class)`,
    [
      startedAt.map(() => createUuidv7()),
      webhookId,
      tenant.id,
      startedAt,
      Array.from(results, (result) => (result === 'S' ? 204 : 503)),
      Array.from(results, (result) => (result === 'S' ? null : 'http_error')),
    ],
  )
  return startedAt.map((at) => at.toISOString())
}
