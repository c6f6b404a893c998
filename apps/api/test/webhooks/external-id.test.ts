import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { invalid, refusalOf } from '../support/refusals.ts'

const api = useApi()

async function asAdmin() {
  const { token } = await api.makeAdmin()
  const create = (external_id?: unknown) =>
    api.call('post', '/webhooks', {
      token,
      body: { url: 'https://hooks.example.com/in', events: ['*'], external_id },
    })
  const update = (id: string, external_id: unknown) =>
    api.call('patch', `/webhooks/${id}`, { token, body: { external_id } })
  const find = async (external_id: string) => {
    const path = `/webhooks?external_id=${encodeURIComponent(external_id)}`
    const { body } = await api.call('get', path, { token })
    return body.items.map(({ id }: { id: string }) => id) as string[]
  }
  return { token, create, update, find }
}

const inUse = { status: 409, code: 'conflict' }

describe('the external id of an endpoint', () => {
  test('is null, or the given one, which finds the endpoint', async () => {
    const { create, find } = await asAdmin()
    expect((await create()).body.webhook.external_id).toBeNull()
    const { webhook } = (await create('billing/eu-1:A_b.c')).body
    expect(webhook.external_id).toBe('billing/eu-1:A_b.c')
    expect(await find('billing/eu-1:A_b.c')).toEqual([webhook.id])
    expect(await find('billing/eu-1:a_b.c')).toEqual([])
    expect(await find('billing')).toEqual([])
  })

  test('can be set, changed and removed, and is audited', async () => {
    const { token, create, update, find } = await asAdmin()
    const { id } = (await create()).body.webhook
    for (const value of ['one', 'two', null]) {
      expect((await update(id, value)).body.webhook.external_id).toBe(value)
    }
    expect(await find('one')).toEqual([])
    const { body } = await api.call('get', '/audit-log?action=webhook.update', { token })
    expect(body.items.map(({ details }: { details: object }) => details)).toEqual([
      expect.objectContaining({ before: { external_id: 'two' }, after: { external_id: null } }),
      expect.objectContaining({ before: { external_id: 'one' }, after: { external_id: 'two' } }),
      expect.objectContaining({ before: { external_id: null }, after: { external_id: 'one' } }),
    ])
  })

  test('409 if another endpoint of the organization has it, until that one is deleted', async () => {
    const { token, create, update } = await asAdmin()
    const first = (await create('crm')).body.webhook
    const second = (await create()).body.webhook
    expect(refusalOf(await create('crm'))).toEqual(inUse)
    expect(refusalOf(await update(second.id, 'crm'))).toEqual(inUse)
    expect((await update(first.id, 'crm')).status).toBe(200)
    expect((await (await asAdmin()).create('crm')).status).toBe(201)
    await api.call('delete', `/webhooks/${first.id}`, { token })
    expect((await update(second.id, 'crm')).status).toBe(200)
  })

  test('of several requests at once, one gets it', async () => {
    const { create, update, find } = await asAdmin()
    const made = await Promise.all(Array.from({ length: 5 }, () => create()))
    const ids = made.map(({ body }) => body.webhook.id as string)
    const requests = ids.map((id) => update(id, 'taken'))
    const statuses = (await Promise.all([...requests, create('taken'), create('taken')])).map(
      ({ status }) => status,
    )
    expect(statuses.filter((status) => status < 300)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(6)
    expect(await find('taken')).toHaveLength(1)
  })

  test.each(['', 'a b', 'ä', 'x'.repeat(101)])('422 for %j', async (value) => {
    const { token, create } = await asAdmin()
    expect(refusalOf(await create(value))).toEqual(invalid('/external_id'))
    const path = `/webhooks?external_id=${encodeURIComponent(value)}`
    expect(refusalOf(await api.call('get', path, { token }))).toEqual(invalid('/external_id'))
  })
})
