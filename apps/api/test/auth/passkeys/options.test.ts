import { describe, expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSignedIn,
  sessionOf,
} from '../../../../../test/support/session.ts'
import { Authenticator } from '../../support/authenticator.ts'
import { addPasskey, creationOptions, withPasskeys } from '../../support/passkeys.ts'
import { refusalOf } from '../../support/refusals.ts'

const api = useApi(withPasskeys)
const byAddress = useApi({ ...withPasskeys, PUBLIC_URL: 'http://[::1]:8080' })
const path = '/auth/factors/passkeys/options'
const conflict = { status: 409, code: 'conflict' }
const tenant = useTenant(api)

describe('POST /auth/factors/passkeys/options', () => {
  test('200 requires a resident key and user verification, and excludes the passkeys of the person', async () => {
    const ana = await makeSignedIn(api, tenant)
    const authenticator = new Authenticator()
    await addPasskey(api, ana, authenticator)
    expect(await creationOptions(api, ana)).toMatchObject({
      rp: { id: 'localhost', name: 'Hosting Control' },
      user: { name: ana.email, displayName: 'Ana' },
      attestation: 'none',
      timeout: 300_000,
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      excludeCredentials: [{ id: authenticator.id, type: 'public-key', transports: ['internal'] }],
    })
  })

  test('409 conflict with 10 passkeys, while impersonating, and if the host of PUBLIC_URL is an IP address', async () => {
    const ana = await makeSignedIn(api, tenant)
    expect(refusalOf(await callWith(byAddress, ana)('post', path))).toEqual(conflict)
    for (let count = 0; count < 10; count++) await addPasskey(api, ana)
    expect(refusalOf(await callWith(api, ana)('post', path))).toEqual(conflict)
    const ben = await makePerson(api, tenant)
    const eve = await makeSignedIn(api, tenant)
    const started = await callWith(api, eve)('post', '/auth/impersonation', {
      body: { user_id: ben.id },
    })
    expect(refusalOf(await callWith(api, sessionOf(started))('post', path))).toEqual(conflict)
  })

  test('401 without a session; 403 with a key, without the CSRF token and without a recent confirmation', async () => {
    const { token } = await tenant.makeKey()
    const stale = await makeSignedIn(api, tenant, { confirmedMsAgo: 301_000 })
    expect(refusalOf(await api.call('post', path)).code).toBe('authentication_required')
    expect(refusalOf(await api.call('post', path, { token })).code).toBe('api_key_not_allowed')
    const headers = { cookie: stale.cookie }
    expect(refusalOf(await api.call('post', path, { headers })).code).toBe('csrf_failed')
    expect(refusalOf(await callWith(api, stale)('post', path)).code).toBe(
      'reauthentication_required',
    )
  })
})
