import { describe, expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  makeSignedIn,
  sessionOf,
  setSecondFactor,
} from '../../../../../test/support/session.ts'
import { auditEntriesOf } from '../../support/audit.ts'
import { Authenticator } from '../../support/authenticator.ts'
import { addPasskey, signInByPasskey, withPasskeys } from '../../support/passkeys.ts'
import { notFound, refusalOf } from '../../support/refusals.ts'
import { setSecurityPolicy } from '../../support/security-policy.ts'
import { setUpTotp } from '../../support/sign-in.ts'

const api = useApi(withPasskeys)
const other = useApi(withPasskeys)
const path = (id: string) => `/auth/factors/passkeys/${id}`
const conflict = { status: 409, code: 'conflict' }
const tenant = useTenant(api)

describe('DELETE /auth/factors/passkeys/{id}', () => {
  test('204 ends sign-ins with the passkey, and adds an audit row and a notice', async () => {
    const ana = await makeSignedIn(api, tenant)
    const authenticator = new Authenticator()
    const id = await addPasskey(api, ana, authenticator)
    const call = callWith(api, ana)
    expect((await call('delete', path(id))).status).toBe(204)
    expect((await auditEntriesOf(api, tenant.id)).at(-1)).toMatchObject({
      action: 'passkey.remove',
      details: { passkey_id: id, name: 'Laptop' },
    })
    const { body } = await call('get', '/notices')
    expect(body.items[0]).toMatchObject({ title: 'A passkey was removed from your account' })
    expect((await signInByPasskey(other, authenticator)).status).toBe(401)
    expect(refusalOf(await call('delete', path(id)))).toEqual(notFound)
  })

  test("404 for another person's passkey, 403 without a recent confirmation, 409 while impersonating", async () => {
    const [ana, ben] = [await makeSignedIn(api, tenant), await makeSignedIn(api, tenant)]
    const id = await addPasskey(api, ana)
    expect(refusalOf(await callWith(api, ben)('delete', path(id)))).toEqual(notFound)
    const stale = await makeSession(api, ana.id, { confirmedMsAgo: 301_000 })
    expect(refusalOf(await callWith(api, stale)('delete', path(id))).code).toBe(
      'reauthentication_required',
    )
    const cy = await makePerson(api, tenant)
    const started = await callWith(api, ana)('post', '/auth/impersonation', {
      body: { user_id: cy.id },
    })
    expect(refusalOf(await callWith(api, sessionOf(started))('delete', path(id)))).toEqual(conflict)
  })

  test('a deleted person has no passkeys, even after the person is created again', async () => {
    const ana = await makeSignedIn(api, tenant)
    await addPasskey(api, ana)
    expect((await api.callInternal('delete', `/users/${ana.id}`)).status).toBe(204)
    expect(await api.database.prisma.passkey.count({ where: { userId: ana.id } })).toBe(0)
  })
})

describe('the last second factor, while the organization requires one', () => {
  const soon = () => new Date(Date.now() + 3_600_000).toISOString()

  test('409 conflict for the last passkey or authenticator app; 204 if another factor remains or before the date', async () => {
    const organization = await api.makeTenant()
    const ana = await makeSignedIn(api, organization)
    const id = await addPasskey(api, ana)
    await setSecondFactor(api, { id: ana.sessionId })
    const call = callWith(api, ana)
    await setSecurityPolicy(api, organization, { second_factor_required: true })
    expect(refusalOf(await call('delete', path(id)))).toEqual(conflict)
    await setUpTotp(api, ana)
    expect((await call('delete', path(id))).status).toBe(204)
    expect(refusalOf(await call('delete', '/auth/factors/totp'))).toEqual(conflict)
    await setSecurityPolicy(api, organization, {
      second_factor_required: true,
      second_factor_from: soon(),
    })
    expect((await call('delete', '/auth/factors/totp')).status).toBe(204)
  })

  test('concurrent removals of the last two factors leave one', async () => {
    const organization = await api.makeTenant()
    const ana = await makeSignedIn(api, organization)
    const id = await addPasskey(api, ana)
    await setUpTotp(api, ana)
    // Otherwise the session would be refused as one that began with a password alone, once one factor is left.
    await setSecondFactor(api, { id: ana.sessionId })
    await setSecurityPolicy(api, organization, { second_factor_required: true })
    const responses = await Promise.all([
      callWith(api, ana)('delete', path(id)),
      callWith(other, ana)('delete', '/auth/factors/totp'),
    ])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([204, 409])
  })
})
