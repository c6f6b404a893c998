import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'
import { untilBlocked } from '../../support/until.ts'

const api = useApi()

const user = { email: 'late@example.test', status: 'active', roles: ['admin'], accounts: [] }

/** Sends a request while a change of another transaction is about to be committed. */
async function putWhile(
  change: { readonly sql: string; readonly id: string },
  path: string,
  body: object,
) {
  const client = await api.database.pool.connect()
  await client.query('BEGIN')
  await client.query(change.sql, [change.id])
  const putting = api.callInternal('put', path, body, { 'content-type': 'application/json' })
  await Promise.race([putting, untilBlocked(api, 1)])
  await client.query('COMMIT')
  client.release()
  return await putting
}

test.each([
  ['accounts', {}],
  ['users', user],
])(
  'race: nothing is added to the %s of an organization that is deleted meanwhile',
  async (records, fields) => {
    const { id: tenant_id } = await api.makeTenant()
    const id = randomUUID()
    const deletion = { sql: 'UPDATE tenants SET deleted_at = now() WHERE id = $1', id: tenant_id }
    const body = { tenant_id, name: 'Late', ...fields }
    const response = await putWhile(deletion, `/${records}/${id}`, body)
    expect(refusalOf(response)).toEqual(invalid('/tenant_id'))
    const { rows } = await api.database.pool.query(`SELECT 1 FROM ${records} WHERE id = $1`, [id])
    expect(rows).toEqual([])
  },
)

test('race: a user is not assigned to an account that is deleted meanwhile', async () => {
  const tenant = await api.makeTenant()
  const account = await tenant.makeAccount()
  const id = randomUUID()
  const body = { tenant_id: tenant.id, name: 'Late', ...user, accounts: [account] }
  const deletion = { sql: 'DELETE FROM accounts WHERE id = $1', id: account }
  const response = await putWhile(deletion, `/users/${id}`, body)
  expect(refusalOf(response)).toEqual(invalid('/accounts'))
  const { rows } = await api.database.pool.query('SELECT 1 FROM users WHERE id = $1', [id])
  expect(rows).toEqual([])
})
