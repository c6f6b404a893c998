import { expect, test } from '@jest/globals'
import { gateKeysStatement } from '../../src/api-keys/gate-keys.ts'
import { rollingBack, useDatabase } from '../support/database.ts'

const database = useDatabase()

test('key records are read by the primary key', async () => {
  await rollingBack(database, async (client) => {
    await client.query('SET LOCAL enable_seqscan = off')
    await client.query(`PREPARE key_records AS ${gateKeysStatement.text}`)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN EXECUTE key_records ('{aaaaaaaaaaaa}')`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('api_keys_pkey')
    expect(plan).toMatch(/Index Cond: \(id = /)
    await client.query('DEALLOCATE key_records')
  })
})
