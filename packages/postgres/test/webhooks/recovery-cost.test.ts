import { countRecoverable } from '@hosting/postgres/webhooks'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { explainStatements } from '../../../../test/support/statement-cost.ts'
import { useDatabase } from '../support/database.ts'
import { makeSubscriber } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })
const target = { tenantId: '', endpointId: '' }

const finished = 40_000
const dead = 2_000

/** Adds events of which the endpoint has a finished delivery each. */
beforeAll(async () => {
  Object.assign(target, await makeSubscriber(database))
  await database.pool.query(
    `WITH made AS (
       INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, position)
       SELECT id, id, $1, 'site.updated', now(), '{}', 1, nextval('event_positions')
       FROM (SELECT uuid_v7() AS id FROM generate_series(1, $3::int)) AS numbered
       RETURNING id
     )
     INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, outcome,
       attempt_count, completed_at, dead, last_attempt_id, last_started_at, last_duration_ms, last_status_code,
       last_error_class)
     SELECT uuid_v7(), $1, $2, id, id, 'site.updated', now(),
       (CASE WHEN dies THEN 'dead' ELSE 'succeeded' END)::delivery_outcome, 1, now(), dies, uuid_v7(), now(), 1,
       CASE WHEN dies THEN 500 ELSE 200 END, CASE WHEN dies THEN 'http_error' END
     FROM (SELECT id, row_number() OVER (ORDER BY id) % ($3::int / $4::int) = 0 AS dies FROM made) AS made`,
    [target.tenantId, target.endpointId, finished, dead],
  )
})

describe.each(['before', 'after'])('%s the tables were analyzed', (when) => {
  beforeAll(async () => {
    if (when === 'after') await database.pool.query('VACUUM (ANALYZE) deliveries, events')
  })

  test('a recovery reads the dead deliveries, their events and the other deliveries of these, and no more', async () => {
    const span = { sinceMs: Date.now() - 3_600_000, untilMs: Date.now() + 1 }
    const explained = explainStatements(database)
    const count = await countRecoverable(explained.database.prisma, target, { span })
    expect(count).toEqual({ total: dead, isMore: false })
    // A delivery, its entry in the index of the dead, its event and the entry of that, and the same again to find others.
    expect(explained.cost().blocks).toBeLessThan(12 * dead)
  })
})
