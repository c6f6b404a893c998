import { createKeyToken } from '@hosting/core/api-keys'
import { expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { testAccess } from '../support/access.ts'
import {
  changesKeys,
  makeKeyWith,
  makePeople,
  rotate,
  showKey,
  statusWith,
} from '../support/keys.ts'
import { notFound, refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()
const other = useApi()

const pathOf = (id: string): string => `/api-keys/${id}/previous-secrets`

testAccess(api, { verb: 'delete', path: pathOf(createKeyToken().id) }, changesKeys)

test('204, and every process refuses the old secrets from the next request on, but not the current one', async () => {
  const { tenant, admin } = await api.makeAdmin()
  const { id, token } = await makeKeyWith(api, admin.token)
  const second = await rotate(api, admin.token, id, 3_600)
  const current = await rotate(api, admin.token, id, 3_600)
  for (const each of [api, other]) {
    for (const old of [token, second]) expect(await statusWith(each, old)).toBe(200)
  }
  const ended = await api.call('delete', pathOf(id), { token: admin.token })
  expect(ended.status).toBe(204)
  for (const each of [api, other]) {
    for (const old of [token, second]) expect(await statusWith(each, old)).toBe(401)
    expect(await statusWith(each, current)).toBe(200)
  }
  expect(await showKey(api, admin.token, id)).toMatchObject({
    previous_secret_expires_at: null,
    previous_secret_last_used_at: null,
  })
  const count = (await auditOf(api, tenant.id)).length
  expect((await api.call('delete', pathOf(id), { token: admin.token })).status).toBe(204)
  const audit = await auditOf(api, tenant.id)
  expect(audit).toHaveLength(count)
  expect(audit.find(({ action }) => action === 'api_key.end_token')).toMatchObject({
    targetId: id,
    details: { previous_secrets: 2 },
  })
})

test('a request that waits for the change with an old secret is refused', async () => {
  const admin = await (await api.makeTenant()).makeKey()
  const { id, token } = await makeKeyWith(api, admin.token)
  await rotate(api, admin.token, id, 3_600)
  const [ended, renamed] = await Promise.all([
    api.call('delete', pathOf(id), { token }),
    other.call('patch', `/api-keys/${id}`, { token, body: { name: 'Raced' } }),
  ])
  expect(ended.status).toBe(204)
  const { name } = await showKey(api, admin.token, id)
  expect([
    [200, 'Raced'],
    [401, 'Deploy'],
  ]).toContainEqual([renamed.status, name])
  expect(await statusWith(other, token)).toBe(401)
})

test('only who manages a key may end its old secrets', async () => {
  const people = await makePeople(await api.makeTenant())
  const { id } = people.reseller
  const denied = { status: 403, code: 'permission_denied' }
  const end = (token: string) => api.call('delete', pathOf(id), { token })
  expect(refusalOf(await end(people.admin.token))).toEqual(denied)
  expect(refusalOf(await end(people.customer.token))).toEqual(notFound)
  expect((await end(people.reseller.token)).status).toBe(204)
})
