import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { refusalOf } from '../../support/refusals.ts'
import { untilBlocked } from '../../support/until.ts'

const api = useApi()

const user = { email: 'second@example.test', status: 'active', roles: ['admin'], accounts: [] }

test.each([
  ['accounts', "(id, tenant_id, name) VALUES ($1, $2, 'First')", {}],
  [
    'users',
    "(id, tenant_id, name, email, roles) VALUES ($1, $2, 'First', 'first@example.test', '{admin}')",
    user,
  ],
])(
  'race: of two organizations that create the same id of %s, one gets 409 and changes nothing',
  async (records, values, fields) => {
    const [first, second] = [await api.makeTenant(), await api.makeTenant()]
    const id = randomUUID()
    const client = await api.database.pool.connect()
    await client.query('BEGIN')
    await client.query(`INSERT INTO ${records} ${values}`, [id, first.id])
    const body = { tenant_id: second.id, name: 'Second', ...fields }
    const json = { 'content-type': 'application/json' }
    const putting = api.callInternal('put', `/${records}/${id}`, body, json)
    await untilBlocked(api, 1)
    await client.query('COMMIT')
    client.release()
    expect(refusalOf(await putting)).toEqual({ status: 409, code: 'conflict' })
    const { rows } = await api.database.pool.query(
      `SELECT tenant_id, name FROM ${records} WHERE id = $1`,
      [id],
    )
    expect(rows).toEqual([{ tenant_id: first.id, name: 'First' }])
  },
)
