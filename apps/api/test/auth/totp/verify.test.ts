import { describe, expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import { callWith, makeSession, makeSignedIn } from '../../../../../test/support/session.ts'
import { actionsOf } from '../../support/audit.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'
import { codeOf, seedOf } from '../../support/sign-in.ts'

const api = useApi()
const path = '/auth/factors/totp/verify'
const tenant = useTenant(api)

const conflict = { status: 409, code: 'conflict' }

describe('POST /auth/factors/totp/verify', () => {
  test('200 activates it and returns 10 recovery codes once; only their hashes are stored', async () => {
    const ana = await makeSignedIn(api, tenant)
    const call = callWith(api, ana)
    const seed = seedOf((await call('post', '/auth/factors/totp')).body.otpauth_uri)
    const options = { body: { totp_code: codeOf(seed) }, headers: { 'idempotency-key': 'once' } }
    const { status, body } = await call('post', path, options)
    expect(status).toBe(200)
    const codes = body.recovery_codes as string[]
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/)
    const { rows } = await api.database.pool.query<{ row: string }>(
      `SELECT t::text AS row FROM recovery_codes t UNION ALL SELECT t::text FROM idempotency_records t
     UNION ALL SELECT t::text FROM audit_events t`,
    )
    const dump = rows.map(({ row }) => row).join('\n')
    expect(codes.filter((code) => dump.includes(code))).toEqual([])
    expect(refusalOf(await call('post', path, options))).toEqual(conflict)
    expect(refusalOf(await call('post', path, { body: options.body }))).toEqual(conflict)
    expect(await actionsOf(api, tenant.id)).toEqual(['totp.enrol', 'totp.activate'])
  })

  test("200 ends the person's other sessions and keeps the current one", async () => {
    const ana = await makeSignedIn(api, tenant)
    const elsewhere = await makeSession(api, ana.id)
    const call = callWith(api, ana)
    const seed = seedOf((await call('post', '/auth/factors/totp')).body.otpauth_uri)
    expect((await call('post', path, { body: { totp_code: '000000' } })).status).toBe(401)
    expect((await callWith(api, elsewhere)('get', '/auth/me')).status).toBe(200)
    expect((await call('post', path, { body: { totp_code: codeOf(seed) } })).status).toBe(200)
    expect((await callWith(api, elsewhere)('get', '/auth/me')).status).toBe(401)
    expect((await call('get', '/auth/me')).status).toBe(200)
  })

  test('401 invalid_credentials for a wrong code and for a code of the previous seed; a retry is allowed', async () => {
    const elsewhere = await api.makeTenant()
    const call = callWith(api, await makeSignedIn(api, elsewhere))
    const enrol = async () => seedOf((await call('post', '/auth/factors/totp')).body.otpauth_uri)
    const [before, seed] = [await enrol(), await enrol()]
    const verify = async (totp_code: string) => call('post', path, { body: { totp_code } })
    for (const code of [codeOf(before), codeOf(seed, 3), codeOf(seed, -3), 'abcdef', '12345678']) {
      expect(refusalOf(await verify(code))).toEqual({ status: 401, code: 'invalid_credentials' })
    }
    expect((await verify(codeOf(seed, 1))).status).toBe(200)
    const actions = await actionsOf(api, elsewhere.id)
    expect(actions.filter((action) => action === 'totp.activate invalid_credentials')).toHaveLength(
      5,
    )
  })

  test('concurrent activations return recovery codes once', async () => {
    const call = callWith(api, await makeSignedIn(api, tenant))
    const seed = seedOf((await call('post', '/auth/factors/totp')).body.otpauth_uri)
    const body = { totp_code: codeOf(seed) }
    const responses = await Promise.all([0, 1, 2, 3].map(() => call('post', path, { body })))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
  })

  test('409 conflict if no authenticator is enrolled, 422 for an invalid body', async () => {
    const call = callWith(api, await makeSignedIn(api, tenant))
    expect(refusalOf(await call('post', path, { body: { totp_code: '123456' } }))).toEqual(conflict)
    expect(refusalOf(await call('post', path, { body: {} }))).toEqual(invalid('/totp_code'))
    expect(refusalOf(await call('post', path, { body: { totp_code: 123456 } }))).toEqual(
      invalid('/totp_code'),
    )
  })
})
