import { describe, expect, test } from '@jest/globals'
import { addPasskey } from '../../apps/api/test/support/passkeys.ts'
import { setSecurityPolicy } from '../../apps/api/test/support/security-policy.ts'
import { useApi } from '../support/api.ts'
import { callWith, makeSignedIn, setSecondFactor } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://localhost:8080' })
const page = '/organization/security-policy'
const dayMs = 86_400_000

/** An administrator with a passkey, and a person who has no second factor. */
async function enter() {
  const tenant = await api.makeTenant()
  const admin = await makeSignedIn(api, tenant, { name: 'Ada' })
  await addPasskey(api, admin)
  await setSecondFactor(api, { id: admin.sessionId })
  const person = await makeSignedIn(api, tenant, { name: 'Ben', roles: ['customer'] })
  return {
    tenant,
    admin: { call: callWith(api, admin), visitor: visitorOf(api, admin) },
    person: { ...person, visitor: visitorOf(api, person) },
  }
}

const form = {
  do: 'save',
  second_factor_required: 'true',
  second_factor_from: '7',
  device_login: 'admins',
  device_login_same_network: 'true',
}

describe('the page of the security policy', () => {
  test('shows whom the policy affects before it is saved', async () => {
    const { admin } = await enter()
    const { text } = await admin.visitor.get(page)
    expect(text).toContain('1 of 2 people has no second factor.')
    expect(text).toContain('<bdi>Ben</bdi>')
    expect(text).toContain('1 of 2 people are not administrators')
    expect(text).not.toContain('You have no second factor yourself')
  })

  test('saves the policy, and shows the saved time again', async () => {
    const { admin } = await enter()
    const { text } = await admin.visitor.submit(page, form)
    expect(text).toContain('Security policy saved.')
    const { body } = await admin.call('get', '/tenant/security-policy')
    const { second_factor_from: from, ...policy } = body.policy
    expect(policy).toEqual({
      second_factor_required: true,
      device_login: 'admins',
      device_login_same_network: true,
    })
    expect(Math.abs(Date.parse(from as string) - Date.now() - 7 * dayMs)).toBeLessThan(60_000)
    const again = await admin.visitor.get(page)
    expect(again.text).toMatch(new RegExp(`<option[^>]*value="${from as string}"[^>]*selected`))
    await admin.visitor.submit(page, { ...form, second_factor_from: from as string })
    const kept = await admin.call('get', '/tenant/security-policy')
    expect(kept.body.policy.second_factor_from).toBe(from)
  })

  test('says that an administrator needs a second factor to require one', async () => {
    const tenant = await api.makeTenant()
    const visitor = visitorOf(api, await makeSignedIn(api, tenant))
    expect((await visitor.get(page)).text).toContain('You have no second factor yourself')
    expect((await visitor.submit(page, form)).text).toContain('you have no second factor yourself')
  })
})

describe('a person without a second factor', () => {
  test('sees a banner on every page before a factor is required', async () => {
    const { tenant, admin, person } = await enter()
    const from = new Date(Date.now() + 3 * dayMs).toISOString()
    const policy = { second_factor_required: true, second_factor_from: from }
    await setSecurityPolicy(api, tenant, policy)
    for (const path of ['/', '/keys', '/security']) {
      expect((await person.visitor.get(path)).text).toContain('will require a second factor')
      expect((await admin.visitor.get(path)).text).not.toContain('will require a second factor')
    }
  })

  test('is asked to set up a factor once it is required, and then continues', async () => {
    const { tenant, person } = await enter()
    await setSecurityPolicy(api, tenant, { second_factor_required: true })
    for (const path of ['/', '/keys', '/notices', '/device']) {
      const { status, headers } = await person.visitor.get(path)
      expect([status, headers['location']]).toEqual([303, '/security'])
    }
    expect((await person.visitor.get('/confirm')).text).toContain('name="password"')
    const { text } = await person.visitor.get('/security')
    expect(text).toContain('requires a second factor')
    expect(text).toContain('/security/passkeys/new')
    expect(text).toContain('/security/authenticator')
    for (const path of ['/security/passkeys/new', '/security/authenticator', '/sign-out']) {
      expect((await person.visitor.get(path)).status).toBe(200)
    }
    await addPasskey(api, person)
    const { status, headers } = await person.visitor.get('/keys?kind=personal')
    const confirm = '/confirm?next=%2Fkeys%3Fkind%3Dpersonal'
    expect([status, headers['location']]).toEqual([303, confirm])
    await setSecondFactor(api, { id: person.sessionId })
    expect((await person.visitor.get('/keys')).status).toBe(200)
  })
})

describe('a person with a passkey who signed in with a password alone', () => {
  async function enterByPassword() {
    const { tenant, person } = await enter()
    await addPasskey(api, person)
    await setSecurityPolicy(api, tenant, { second_factor_required: true })
    return person
  }

  test('is asked to confirm with the passkey on every page, also to add another one', async () => {
    const { visitor } = await enterByPassword()
    for (const path of [
      '/',
      '/keys',
      '/device',
      '/security/passkeys/new',
      '/security/authenticator',
    ]) {
      const { status, headers } = await visitor.get(path)
      const to = `/confirm?${new URLSearchParams({ next: path })}`
      expect([status, headers['location']]).toEqual([303, to])
    }
    const { text } = await visitor.get('/confirm')
    expect(text).toContain('Confirm with a passkey')
    expect(text).toContain('you signed in with a password alone')
    expect(text).not.toContain('name="password"')
    const security = await visitor.get('/security')
    expect(security.text).toContain('Confirm with your passkey')
    expect(security.text).not.toContain('will require a second factor')
  })

  test('gets a form back after the confirmation, and nothing is submitted before', async () => {
    const { tenant, person } = await enter()
    await addPasskey(api, person)
    const key = { do: 'create', name: 'Kept', kind: 'personal', scopes: 'sites:read' }
    const { visitor } = person
    await visitor.get('/keys/new')
    await setSecurityPolicy(api, tenant, { second_factor_required: true })
    const { status, headers } = await visitor.post('/keys/new', key)
    expect([status, headers['location']]).toEqual([303, '/confirm?next=%2Fkeys%2Fnew'])
    expect(await api.database.prisma.apiKey.count({ where: { userId: person.id } })).toBe(0)
    await setSecondFactor(api, { id: person.sessionId })
    expect((await visitor.get('/keys/new')).text).toContain('value="Kept"')
  })

  test('sees nothing of it before the date', async () => {
    const { tenant, person } = await enter()
    await addPasskey(api, person)
    const from = new Date(Date.now() + 3 * dayMs).toISOString()
    const policy = { second_factor_required: true, second_factor_from: from }
    await setSecurityPolicy(api, tenant, policy)
    expect((await person.visitor.get('/keys')).text).not.toContain('second factor')
  })
})
