import { expect, test } from '@jest/globals'
import pg from 'pg'
import { agedRecords } from '../../packages/postgres/test/support/aged-records.ts'
import { startReceiver } from '../support/receiver.ts'
import { until, useStack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'

const stack = useStack({ WEBHOOK_TIMEOUT_SECONDS: '4' })
const { subscribe, publish, attemptedDelivery } = webhookUser(stack)

/** The sessions in which retention detaches a partition, or pauses before it tries again. */
const listDetaches = async (): Promise<{ readonly waits: string | null }[]> =>
  (
    await stack.database.pool.query<{ waits: string | null }>(
      `SELECT wait_event_type AS waits FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
         AND (query LIKE 'SELECT detach_partition(%' OR query LIKE 'SELECT pg_sleep(%')`,
    )
  ).rows

test('a worker that gets SIGTERM while retention waits for a transaction takes no new attempts, aborts none, and exits with 0', async () => {
  await stack.database.pool.query('SELECT make_partitions(7)')
  const aged = agedRecords(stack.database)
  await aged.addAttempt(await aged.addDelivery(await aged.addEvent(35), 35, 35), 35)
  const receiver = await startReceiver({ respond: () => 'hang' })
  const tenant = await stack.api.makeTenant()
  const inProgress = await subscribe(tenant, receiver.url, ['site.created'])
  const later = await subscribe(tenant, receiver.url, ['site.deleted'])
  const reader = new pg.Client({ connectionString: stack.database.directUrl })
  await reader.connect()
  try {
    await reader.query('BEGIN')
    await reader.query('SELECT count(*) FROM delivery_attempts')
    const worker = await stack.startWorker()
    await until(listDetaches, ([detach]) => detach?.waits === 'Lock')
    await publish(tenant)
    await receiver.next()

    const ended = worker.stop()
    const publishing = Array.from({ length: 20 }, () => publish(tenant, 'site.deleted'))
    await Promise.all(publishing)
    expect(await ended).toBe(0)
    expect(receiver.requests).toHaveLength(1)
    expect(await attemptedDelivery(inProgress)).toMatchObject({
      attempts: [{ number: 1, error_class: 'timeout' }],
    })
    const { rows } = await stack.database.pool.query(
      'SELECT 1 FROM recorded_attempts WHERE endpoint_id = $1',
      [later.id],
    )
    expect(rows).toEqual([])
    expect(worker.lines.join('\n')).not.toMatch(/a duty failed|left to the next round|too long/)
    expect(await listDetaches()).toEqual([])
  } finally {
    await reader.end()
  }
  await stack.startWorker()
  await until(
    () => aged.partitionsOf(35),
    (partitions) => partitions.length === 0,
  )
  await receiver.close()
}, 120_000)
