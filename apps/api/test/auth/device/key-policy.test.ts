import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../../test/support/api.ts'
import { behindProxy, poll, pollCode, rowOf, signIn, startLogin } from '../../support/device.ts'
import { setPolicy, type PolicyView, violation } from '../../support/key-policy.ts'
import { refusalOf } from '../../support/refusals.ts'

const api = useApi(behindProxy)
const dayMs = 86_400_000

describe('a device login under a key policy', () => {
  test.each<[policy: Partial<PolicyView>, ...pointers: string[]]>([
    [{ ip_allowlist_required: true }, '/ip_allowlist'],
    [{ personal_keys_allowed: false }, '/kind'],
    [{ ip_allowlist_required: true, personal_keys_allowed: false }, '/kind', '/ip_allowlist'],
  ])('422 when it is approved under %j, and it stays pending', async (policy, ...pointers) => {
    const [login, { tenant, approve }] = [await startLogin(api), await signIn(api)]
    await setPolicy(api, tenant, policy)
    expect(refusalOf(await approve(login))).toEqual(violation(...pointers))
    expect(await rowOf(api, login)).toMatchObject({ status: 'pending' })
    await setPolicy(api, tenant, {})
    expect((await approve(login)).status).toBe(200)
  })

  test('409 conflict takes precedence for a login that is already decided', async () => {
    const [login, { tenant, approve }] = [await startLogin(api), await signIn(api)]
    await approve(login)
    await setPolicy(api, tenant, { personal_keys_allowed: false })
    expect(refusalOf(await approve(login))).toEqual({ status: 409, code: 'conflict' })
  })

  test('404 not_found takes precedence for an unknown code', async () => {
    const { tenant, approve } = await signIn(api)
    await setPolicy(api, tenant, { personal_keys_allowed: false })
    expect(refusalOf(await approve({ user_code: 'BCDF-GHJK' }))).toEqual({
      status: 404,
      code: 'not_found',
    })
  })

  test('a person can deny a login, whatever the policy', async () => {
    const [login, { tenant, refuse }] = [await startLogin(api), await signIn(api)]
    await setPolicy(api, tenant, { personal_keys_allowed: false })
    expect((await refuse(login)).status).toBe(200)
  })

  test('access_denied if the policy forbids the key when it is issued', async () => {
    const [login, { tenant, approve, audit, countKeys }] = [
      await startLogin(api),
      await signIn(api),
    ]
    await approve(login)
    await setPolicy(api, tenant, { ip_allowlist_required: true })
    expect(await pollCode(api, login)).toBe('access_denied')
    expect(await rowOf(api, login)).toMatchObject({ status: 'denied' })
    expect(await countKeys()).toBe(0)
    expect((await audit()).at(-1)).toMatchObject({
      action: 'device.refuse',
      outcome: 'refused',
      reason: 'access_denied',
    })
  })

  test.each<[maxLifetimeDays: number | null, days: number]>([
    [null, 90],
    [7, 7],
    [365, 90],
  ])('with a limit of %j days, its key lives %d days', async (max_lifetime_days, days) => {
    const [login, { tenant, approve }] = [await startLogin(api), await signIn(api)]
    await setPolicy(api, tenant, { max_lifetime_days })
    await approve(login)
    const { status, body } = await poll(api, login)
    expect(status).toBe(200)
    const { key } = body
    expect(Date.parse(key.expires_at) - Date.parse(key.created_at)).toBe(days * dayMs)
  })
})
