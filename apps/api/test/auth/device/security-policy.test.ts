import { describe, expect, test } from '@jest/globals'
import type { Role } from '@hosting/core/scopes'
import { useApi } from '../../../../../test/support/api.ts'
import { behindProxy, poll, requestPath, rowOf, signIn, startLogin } from '../../support/device.ts'
import { refusalOf } from '../../support/refusals.ts'
import { setSecurityPolicy, type SecurityPolicyView } from '../../support/security-policy.ts'

const api = useApi(behindProxy)
const conflict = { status: 409, code: 'conflict' }

/** A login that was started from one address, and a person who approves it from another. */
async function begin({
  policy,
  roles = ['admin'],
  requestedFrom = '203.0.113.7',
  approvedFrom = '203.0.113.200',
}: {
  policy: Partial<SecurityPolicyView>
  roles?: readonly Role[]
  requestedFrom?: string
  approvedFrom?: string
}) {
  await api.database.pool.query('DELETE FROM device_requests')
  const login = await startLogin(api, { ip: requestedFrom })
  const person = await signIn(api, { roles })
  await setSecurityPolicy(api, person.tenant, policy)
  const approve = () =>
    person.call('post', `${requestPath(login)}/approve`, {
      body: { access: 'full' },
      headers: { 'x-forwarded-for': approvedFrom },
    })
  return { ...person, login, approve }
}

const sameNetwork = { device_login_same_network: true }

describe('an approval under a security policy', () => {
  test('409 conflict while device logins are off, and the login stays pending', async () => {
    const { login, tenant, approve } = await begin({ policy: { device_login: 'off' } })
    expect(refusalOf(await approve())).toEqual(conflict)
    expect(await rowOf(api, login)).toMatchObject({ status: 'pending' })
    await setSecurityPolicy(api, tenant, {})
    expect((await approve()).status).toBe(200)
  })

  test('403 permission_denied for anyone but admins if only admins may approve', async () => {
    const policy = { device_login: 'admins' as const }
    const reseller = await begin({ policy, roles: ['reseller'] })
    expect(refusalOf(await reseller.approve())).toEqual({ status: 403, code: 'permission_denied' })
    expect((await (await begin({ policy })).approve()).status).toBe(200)
  })

  test.each<[requestedFrom: string, approvedFrom: string, status: number]>([
    ['203.0.113.7', '203.0.113.200', 200],
    ['203.0.113.7', '203.0.114.7', 409],
    ['2001:db8:1:2::1', '2001:db8:1:ffff::9', 200],
    ['2001:db8:1:2::1', '2001:db8:2:2::1', 409],
    ['203.0.113.7', '2001:db8:1:2::1', 409],
    ['203.0.113.7', '::ffff:203.0.113.9', 200],
  ])('requested from %s and approved from %s: %d', async (requestedFrom, approvedFrom, status) => {
    const { approve } = await begin({ policy: sameNetwork, requestedFrom, approvedFrom })
    expect((await approve()).status).toBe(status)
  })

  test('the networks are compared only if the policy requires it', async () => {
    const { approve } = await begin({ policy: {}, approvedFrom: '198.51.100.1' })
    expect((await approve()).status).toBe(200)
  })

  test('anyone can deny, whatever the policy', async () => {
    const { login, refuse } = await begin({ policy: { device_login: 'off', ...sameNetwork } })
    expect((await refuse(login)).status).toBe(200)
  })
})

describe('a redemption under a security policy', () => {
  test.each<[policy: Partial<SecurityPolicyView>, detail: RegExp, cause: string]>([
    [{ device_login: 'off' }, /does not allow device logins/, 'off'],
    [{ device_login: 'admins' }, /only administrators/, 'not_admin'],
    [sameNetwork, /from the network of the device/, 'other_network'],
  ])('access_denied under %j, and every poll says why', async (policy, detail, cause) => {
    const { login, tenant, approve, audit, countKeys } = await begin({
      policy: {},
      roles: ['reseller'],
      approvedFrom: '198.51.100.1',
    })
    expect((await approve()).status).toBe(200)
    await setSecurityPolicy(api, tenant, policy)
    for (let polls = 0; polls < 2; polls++) {
      const { status, body } = await poll(api, login)
      expect({ status, code: body.code, error: body.error }).toEqual({
        status: 400,
        code: 'access_denied',
        error: 'access_denied',
      })
      expect(body.detail).toMatch(detail)
    }
    expect(await countKeys()).toBe(0)
    expect((await audit()).at(-1)).toMatchObject({
      action: 'device.refuse',
      reason: 'access_denied',
      details: { cause },
    })
  })

  test('access_denied if a second factor is required since, and the session of the approval lacks it', async () => {
    const { login, tenant, approve, audit, countKeys } = await begin({ policy: {} })
    expect((await approve()).status).toBe(200)
    await setSecurityPolicy(api, tenant, { second_factor_required: true })
    const { status, body } = await poll(api, login)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'access_denied' })
    expect(body.detail).toMatch(/requires a second factor/)
    expect(await countKeys()).toBe(0)
    expect((await audit()).at(-1)).toMatchObject({ details: { cause: 'second_factor' } })
  })

  test.each<[what: string, data: { method?: string; hasSecondFactor?: boolean }]>([
    ['by a link', { method: 'link' }],
    ['with a passkey', { method: 'passkey' }],
    ['with a password and confirmed with a passkey', { hasSecondFactor: true }],
  ])('200 under a required second factor if the person signed in %s', async (_what, data) => {
    const { login, tenant, approve, person } = await begin({ policy: {} })
    const { prisma } = api.database
    const passkey = { id: person.sessionId, userId: person.id, name: 'x', signCount: 0 }
    const keys = { credentialId: Buffer.from(person.id), publicKey: Buffer.alloc(1) }
    await prisma.passkey.create({ data: { ...passkey, ...keys, isBackedUp: false } })
    await approve()
    await prisma.panelSession.updateMany({ where: { userId: person.id }, data })
    await setSecurityPolicy(api, tenant, { second_factor_required: true })
    expect((await poll(api, login)).status).toBe(200)
  })

  test('the error after a person denied the login does not mention the policy', async () => {
    const { login, refuse } = await begin({ policy: {} })
    await refuse(login)
    expect((await poll(api, login)).body.detail).toBe('The device login was denied.')
  })

  test('200 if the policy still allows the key', async () => {
    const { login, approve } = await begin({ policy: { device_login: 'admins', ...sameNetwork } })
    await approve()
    expect((await poll(api, login)).status).toBe(200)
  })
})
