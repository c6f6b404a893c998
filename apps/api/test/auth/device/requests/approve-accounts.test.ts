import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../../../test/support/session.ts'
import {
  behindProxy,
  poll,
  pollCode,
  requestPath,
  startLogin,
  type StartedLogin,
} from '../../../support/device.ts'
import { invalid, refusalOf } from '../../../support/refusals.ts'
import { auditOf } from '../../../support/webhooks.ts'

const api = useApi(behindProxy)

async function makeApprover(roles: ('admin' | 'customer')[] = ['admin']) {
  const tenant = await api.makeTenant()
  const [a, b] = [await tenant.makeAccount(), await tenant.makeAccount()]
  const person = await makeSignedIn(api, tenant, { roles, accounts: [a] })
  const approve = (login: StartedLogin, accounts?: unknown) =>
    callWith(api, person)('post', `${requestPath(login)}/approve`, {
      body: { access: 'full', ...(accounts !== undefined && { accounts }) },
    })
  return { tenant, a, b, approve }
}

describe('POST /auth/device/requests/{user_code}/approve with accounts', () => {
  test('the key is limited to the accounts, and the audit log shows them', async () => {
    const { tenant, b, approve } = await makeApprover()
    const login = await startLogin(api)
    expect((await approve(login, [b.toUpperCase()])).status).toBe(200)
    const { status, body } = await poll(api, login)
    expect(status).toBe(200)
    expect(body.key).toMatchObject({ accounts: [b], parent_key_id: null, scopes: ['*'] })
    const token = body.token as string
    expect((await api.call('get', '/auth/me', { token })).body.accounts).toEqual([b])
    expect((await api.call('get', '/webhooks', { token })).status).toBe(403)
    const rows = await auditOf(api, tenant.id)
    expect(rows.find(({ action }) => action === 'device.approve')).toMatchObject({
      details: { access: 'full', accounts: [b] },
    })
    expect(rows.find(({ action }) => action === 'api_key.create')).toMatchObject({
      details: { accounts: [b] },
    })
  })

  test.each([undefined, null])('with accounts %s, the key is not limited', async (accounts) => {
    const { approve } = await makeApprover()
    const login = await startLogin(api)
    expect((await approve(login, accounts)).status).toBe(200)
    expect((await poll(api, login)).body.key.accounts).toBeNull()
  })

  test('422 for accounts that the approver lacks, repeated ones and an empty list; the login stays pending', async () => {
    const { a, b, approve } = await makeApprover(['customer'])
    const login = await startLogin(api)
    expect(refusalOf(await approve(login, [a, b]))).toEqual(invalid('/accounts/1'))
    expect(refusalOf(await approve(login, [a, a]))).toEqual(invalid('/accounts/1'))
    expect(refusalOf(await approve(login, []))).toEqual(invalid('/accounts'))
    expect(await pollCode(api, login)).toBe('authorization_pending')
    expect((await approve(login, [a])).status).toBe(200)
  })

  test('an account deleted before the key is issued stays in the record and gives no access', async () => {
    const { b, approve } = await makeApprover()
    const login = await startLogin(api)
    await approve(login, [b])
    await api.callInternal('delete', `/accounts/${b}`)
    const { body } = await poll(api, login)
    expect(body.key.accounts).toEqual([b])
    const me = await api.call('get', '/auth/me', { token: body.token as string })
    expect(me.body.accounts).toEqual([])
  })
})
