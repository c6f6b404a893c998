import { openDatabase } from '@hosting/postgres/database'
import { beforeAll, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import { makeSubscriber, publish, succeed } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })
beforeAll(async () => {
  // Tells how the transactions that change the queue commit. The set-up of a subscriber changes no delivery.
  await database.pool.query(`
    CREATE TABLE commits (change text, setting text);
    CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO commits VALUES (TG_OP, current_setting('synchronous_commit'));
      RETURN NULL;
    END $$;
    CREATE TRIGGER note_commit AFTER INSERT OR UPDATE OR DELETE ON pending_deliveries
      FOR EACH STATEMENT EXECUTE FUNCTION note_commit();
    DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database()); END $$`)
})

test('an accepted event waits for the disk; holds and the results of attempts do not', async () => {
  const durable = openDatabase(database.url, { onError: () => undefined })
  try {
    const { tenantId } = await makeSubscriber(durable)
    await succeed(durable, await publish(durable, tenantId))
  } finally {
    await durable.close()
  }
  const { rows } = await database.pool.query<{ change: string; setting: string }>(
    'SELECT DISTINCT change, setting FROM commits ORDER BY change, setting',
  )
  expect(rows).toEqual([
    { change: 'DELETE', setting: 'off' },
    { change: 'INSERT', setting: 'on' },
    { change: 'UPDATE', setting: 'off' },
  ])
})
