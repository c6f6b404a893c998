import { describe, expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../../test/support/session.ts'
import { actionsOf } from '../../support/audit.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'
import { seedOf, setUpTotp } from '../../support/sign-in.ts'

const api = useApi()
const withoutStore = useApi({ SECRETS_KEYRING: '' })
const path = '/auth/factors/totp'
const tenant = useTenant(api)

describe('POST /auth/factors/totp', () => {
  test('201 returns the otpauth URI once, and the database contains only the encrypted seed', async () => {
    const ana = await makeSignedIn(api, tenant)
    const call = callWith(api, ana)
    const headers = { 'idempotency-key': 'once' }
    const { status, body } = await call('post', path, { headers })
    expect(status).toBe(201)
    const uri = new URL(body.otpauth_uri)
    expect({ protocol: uri.protocol, host: uri.host }).toEqual({
      protocol: 'otpauth:',
      host: 'totp',
    })
    expect(decodeURIComponent(uri.pathname)).toContain(ana.email)
    expect(uri.searchParams.get('issuer')).toBe('Hosting Control')
    const seed = seedOf(body.otpauth_uri)
    expect(seed).toMatch(/^[A-Z2-7]{32}$/)
    const { rows } = await api.database.pool.query<{ row: string }>(
      `SELECT t::text AS row FROM totp_factors t UNION ALL SELECT t::text FROM idempotency_records t
     UNION ALL SELECT t::text FROM audit_events t`,
    )
    expect(rows.some(({ row }) => row.includes(seed))).toBe(false)
    const again = await call('post', path, { headers })
    expect(again.headers).not.toHaveProperty('idempotency-replayed')
    expect(seedOf(again.body.otpauth_uri)).not.toBe(seed)
    expect(await actionsOf(api, tenant.id)).toEqual(['totp.enrol', 'totp.enrol'])
  })

  test('a person can enroll again until the authenticator is active, then gets 409 conflict', async () => {
    const ana = await makeSignedIn(api, tenant)
    const call = callWith(api, ana)
    const seeds = [await call('post', path), await call('post', path, { body: {} })]
    expect(seeds.map(({ status }) => status)).toEqual([201, 201])
    expect(seedOf(seeds[0]!.body.otpauth_uri)).not.toBe(seedOf(seeds[1]!.body.otpauth_uri))
    await setUpTotp(api, ana)
    expect(refusalOf(await call('post', path))).toEqual({ status: 409, code: 'conflict' })
  })

  test('503 service_unavailable without a secrets store', async () => {
    const call = callWith(withoutStore, await makeSignedIn(api, tenant))
    expect(refusalOf(await call('post', path))).toEqual({
      status: 503,
      code: 'service_unavailable',
    })
  })

  test('422 validation_failed for any member', async () => {
    const call = callWith(api, await makeSignedIn(api, tenant))
    expect(refusalOf(await call('post', path, { body: { seed: 'x' } }))).toEqual(invalid('/seed'))
  })
})
