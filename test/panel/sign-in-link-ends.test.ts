import { expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi } from '../support/api.ts'
import { callWith, makePerson, makeSession } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi()
const other = useApi()

/** Creates a link. Returns its path. */
async function createLink(userId: string): Promise<string> {
  const body = { confirmed: true }
  const response = await api.callInternal('post', `/users/${userId}/sign-in-links`, body)
  expect(response.status).toBe(201)
  return new URL(response.body.url as string).pathname
}

const hasSession = ({ headers }: Response): boolean =>
  [headers['set-cookie'] ?? []].flat().some((cookie: string) => /^session=[^;]/.test(cookie))

const first = 'correct horse battery'

async function makeBo() {
  const tenant = await api.makeTenant()
  const { id, email } = await makePerson(api, tenant, { password: first })
  const person = { tenant_id: tenant.id, email, name: 'Bo', status: 'active', roles: ['admin'] }
  const put = async (fields: object = {}) => {
    const body = { ...person, accounts: [], ...fields }
    const { status } = await other.callInternal('put', `/users/${id}`, body)
    expect([200, 201]).toContain(status)
  }
  return { id, tenant, put }
}
type Bo = Awaited<ReturnType<typeof makeBo>>

const ends: readonly (readonly [string, (bo: Bo) => Promise<unknown>])[] = [
  ['a deactivation', ({ put }) => put({ status: 'deactivated' })],
  ['a deletion', ({ id }) => other.callInternal('delete', `/users/${id}`)],
  ['a new password by the directory', ({ put }) => put({ password: 'another horse battery' })],
  [
    'a new password by the person',
    async ({ id }) => {
      const call = callWith(other, await makeSession(other, id))
      const body = { new_password: 'another horse battery' }
      expect((await call('post', '/auth/password', { body })).status).toBe(204)
    },
  ],
  [
    'a deletion of the organization',
    async ({ tenant }) => {
      await other.callInternal('delete', `/tenants/${tenant.id}`)
      const body = { slug: `t-${tenant.id}`, name: 'Acme' }
      await other.callInternal('put', `/tenants/${tenant.id}`, body)
    },
  ],
]

test.each(ends)('%s ends a sign-in link, even if it is reversed', async (_what, end) => {
  const bo = await makeBo()
  const path = await createLink(bo.id)
  await end(bo)
  await bo.put()
  const late = await visitorOf(api).submit(path, {})
  expect(late.text).toContain('The link has expired')
  expect(hasSession(late)).toBe(false)
  expect(hasSession(await visitorOf(api).post(await createLink(bo.id), {}))).toBe(true)
})

test('a link stays valid while its user does not change', async () => {
  const bo = await makeBo()
  const path = await createLink(bo.id)
  await bo.put({ password: first })
  expect(hasSession(await visitorOf(api).post(path, {}))).toBe(true)
})

test('a link created during a deactivation is invalid afterwards', async () => {
  const { id, put } = await makeBo()
  for (let round = 0; round < 10; round++) {
    const [made] = await Promise.all([
      api.callInternal('post', `/users/${id}/sign-in-links`, {}),
      put({ status: 'deactivated' }),
    ])
    await put()
    if (made.status === 409) continue
    const path = new URL(made.body.url as string).pathname
    expect(hasSession(await visitorOf(api).post(path, {}))).toBe(false)
  }
})
