import { describe, expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  makeSignedIn,
  sessionOf,
} from '../../../../../test/support/session.ts'
import { auditEntriesOf } from '../../support/audit.ts'
import { Authenticator } from '../../support/authenticator.ts'
import { addPasskey, requestOptions, withPasskeys } from '../../support/passkeys.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'
import { setUpTotp } from '../../support/sign-in.ts'

const api = useApi(withPasskeys)
const path = '/auth/session/confirm'
const refused = { status: 401, code: 'invalid_credentials' }
const stale = { confirmedMsAgo: 301_000 }
const tenant = useTenant(api)

async function enrol() {
  const ana = await makeSignedIn(api, tenant)
  const authenticator = new Authenticator()
  await addPasskey(api, ana, authenticator)
  return { ana, authenticator, session: await makeSession(api, ana.id, stale) }
}

describe('POST /auth/session/confirm with a passkey', () => {
  test('200 confirms the session and returns a new cookie, without a code', async () => {
    const { ana, authenticator, session } = await enrol()
    await setUpTotp(api, ana)
    const renewed = await makeSession(api, ana.id, stale)
    const passkey = authenticator.get(await requestOptions(api))
    const response = await callWith(api, renewed)('post', path, { body: { passkey } })
    expect(response.status).toBe(200)
    expect((await callWith(api, renewed)('get', '/auth/session')).status).toBe(401)
    const call = callWith(api, sessionOf(response))
    expect((await call('post', '/auth/factors/passkeys/options')).status).toBe(200)
    expect((await auditEntriesOf(api, tenant.id)).at(-1)).toMatchObject({
      action: 'session.confirm',
      targetId: renewed.id,
      details: { method: 'passkey' },
    })
    expect(session.id).not.toBe(renewed.id)
  })

  test("401 for another person's passkey, whose use is not recorded", async () => {
    const [{ session }, { ana: ben, authenticator }] = [await enrol(), await enrol()]
    const passkey = authenticator.get(await requestOptions(api))
    expect(refusalOf(await callWith(api, session)('post', path, { body: { passkey } }))).toEqual(
      refused,
    )
    const rows = await api.database.prisma.passkey.findMany({ where: { userId: ben.id } })
    expect(rows).toMatchObject([{ lastUsedAt: null }])
  })

  test('401 for a copied passkey, with a notice that names the session', async () => {
    const { ana, authenticator, session } = await enrol()
    const passkey = authenticator.get(await requestOptions(api), { count: 1 })
    expect(refusalOf(await callWith(api, session)('post', path, { body: { passkey } }))).toEqual(
      refused,
    )
    const { body } = await callWith(api, session)('get', '/notices')
    expect(body.items[0]).toMatchObject({
      type: 'security.changed',
      title: 'A copy of one of your passkeys was refused',
      subject: { id: session.id },
    })
    expect(ana.id).toBe(session.userId)
  })

  test('while impersonating, the passkey of the impersonator confirms', async () => {
    const { ana, authenticator } = await enrol()
    const ben = await makePerson(api, tenant)
    const started = await callWith(api, ana)('post', '/auth/impersonation', {
      body: { user_id: ben.id },
    })
    const passkey = authenticator.get(await requestOptions(api))
    const response = await callWith(api, sessionOf(started))('post', path, { body: { passkey } })
    expect(response.status).toBe(200)
  })

  test('422 for neither a password nor a passkey, and for both', async () => {
    const { authenticator, session } = await enrol()
    const call = callWith(api, session)
    expect(refusalOf(await call('post', path, { body: {} }))).toEqual(invalid('/password'))
    const passkey = authenticator.get(await requestOptions(api))
    const both = { passkey, password: 'x' }
    expect(refusalOf(await call('post', path, { body: both }))).toEqual(invalid('/password'))
  })

  test('429 after repeated failures of the session', async () => {
    const { authenticator, session } = await enrol()
    const call = callWith(api, session)
    const confirm = async () => {
      const passkey = authenticator.get(await requestOptions(api), { isUserVerified: false })
      return refusalOf(await call('post', path, { body: { passkey } }))
    }
    for (let count = 0; count < 5; count++) expect(await confirm()).toEqual(refused)
    expect(await confirm()).toEqual({ status: 429, code: 'rate_limited' })
  })
})
