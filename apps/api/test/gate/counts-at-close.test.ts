import { createLogger } from '@hosting/process'
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { Refusals, type KeyRefusal } from '../../src/api/gate/refusals.ts'
import { UsageCounter } from '../../src/api/gate/usage-counter.ts'
import { untilBlocked } from '../support/until.ts'

const api = useApi()
const log = createLogger('api', 'fatal', { write: () => undefined })
const ip = '192.0.2.1'

/** Locks a table until the returned function is called. */
async function lockTable(table: string): Promise<() => Promise<void>> {
  const client = await api.database.pool.connect()
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
  return async () => {
    await client.query('COMMIT')
    client.release()
  }
}

/** Closes while a write waits for the lock, and expects that it takes as long as the write. */
async function closeWhile(close: () => Promise<void>, unlock: () => Promise<void>): Promise<void> {
  let isClosed = false
  const closing = close().then(() => (isClosed = true))
  await untilBlocked(api, 1)
  expect(isClosed).toBe(false)
  await unlock()
  await closing
}

test('closing waits for the uses that are being written', async () => {
  const { id: keyId } = await (await api.makeTenant()).makeKey()
  const counted = { keyId, secretId: null, isPrevious: false, ip, atMs: Date.now() }
  const use = { ...counted, operation: 'sites.list', scope: null }
  const usage = new UsageCounter(api.database, log)
  const unlock = await lockTable('api_key_usage')
  usage.count(use, 200)
  await untilBlocked(api, 1)
  await closeWhile(() => usage.close(), unlock)
  const { rows } = await api.database.pool.query(
    'SELECT requests FROM api_key_usage WHERE key_id = $1',
    [keyId],
  )
  expect(rows).toEqual([{ requests: '1' }])
})

test('closing waits for the refusals that are being written', async () => {
  const tenant = await api.makeTenant()
  const { id: keyId, userId } = await tenant.makeKey()
  const refusals = new Refusals(api.database, log)
  const refusal: KeyRefusal = {
    tenantId: tenant.id,
    keyId,
    actor: { type: 'user', id: userId, name: 'Ana', keyId },
    reason: 'insufficient_scope',
    ip,
    route: 'sites.list',
    requestId: randomUUID(),
  }
  await refusals.record(refusal)
  await refusals.record(refusal)
  const unlock = await lockTable('refusal_windows')
  await untilBlocked(api, 1)
  await closeWhile(() => refusals.close(), unlock)
  const { rows } = await api.database.pool.query(
    'SELECT repeated FROM refusal_windows WHERE key_id = $1',
    [keyId],
  )
  expect(rows).toEqual([{ repeated: 1 }])
})
