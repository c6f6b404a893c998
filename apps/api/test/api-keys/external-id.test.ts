import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { invalid, refusalOf } from '../support/refusals.ts'

const api = useApi()

async function asAdmin() {
  const { token } = await api.makeAdmin()
  const create = (external_id?: unknown, kind = 'organization') =>
    api.call('post', '/api-keys', {
      token,
      body: { name: 'Deploy', kind, scopes: ['sites:read'], external_id },
    })
  const update = (id: string, external_id: unknown) =>
    api.call('patch', `/api-keys/${id}`, { token, body: { external_id } })
  const find = async (external_id: string, query = '') => {
    const path = `/api-keys?external_id=${encodeURIComponent(external_id)}${query}`
    const { body } = await api.call('get', path, { token })
    return body.items.map(({ id }: { id: string }) => id) as string[]
  }
  return { token, create, update, find }
}

const inUse = { status: 409, code: 'conflict' }

describe('the external id of an organization key', () => {
  test('is null, or the given one, which finds the key', async () => {
    const { create, find } = await asAdmin()
    expect((await create()).body.key.external_id).toBeNull()
    const { key } = (await create('ci/deploy')).body
    expect(key.external_id).toBe('ci/deploy')
    expect(await find('ci/deploy')).toEqual([key.id])
    expect(await find('ci/Deploy')).toEqual([])
  })

  test('can be set, changed and removed, and is audited', async () => {
    const { token, create, update } = await asAdmin()
    const { id } = (await create()).body.key
    for (const value of ['one', 'two', null]) {
      expect((await update(id, value)).body.key.external_id).toBe(value)
    }
    const { body } = await api.call('get', '/audit-log?action=api_key.update&limit=1', { token })
    const [{ details }] = body.items
    expect(details.before.external_id).toBe('two')
    expect(details.after.external_id).toBeNull()
  })

  test('409 if another key of the organization has it, until that one is revoked; both are found then', async () => {
    const { token, create, update, find } = await asAdmin()
    const first = (await create('crm')).body.key
    const second = (await create()).body.key
    expect(refusalOf(await create('crm'))).toEqual(inUse)
    expect(refusalOf(await update(second.id, 'crm'))).toEqual(inUse)
    expect((await (await asAdmin()).create('crm')).status).toBe(201)
    await api.call('delete', `/api-keys/${first.id}`, { token })
    expect((await update(second.id, 'crm')).status).toBe(200)
    expect(await find('crm')).toEqual([second.id, first.id])
    expect(await find('crm', '&revoked=false')).toEqual([second.id])
  })

  test('of several requests at once, one gets it', async () => {
    const { create, find } = await asAdmin()
    const made = await Promise.all(Array.from({ length: 5 }, () => create('taken')))
    expect(made.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409])
    expect(await find('taken')).toHaveLength(1)
  })

  test('422 for a personal key, and for other characters', async () => {
    const { create, update } = await asAdmin()
    const personal = (await create(null, 'personal')).body.key
    expect(refusalOf(await create('mine', 'personal'))).toEqual(invalid('/external_id'))
    expect(refusalOf(await update(personal.id, 'mine'))).toEqual(invalid('/external_id'))
    for (const value of ['', 'a b', 'x'.repeat(101)]) {
      expect(refusalOf(await create(value))).toEqual(invalid('/external_id'))
    }
  })
})
