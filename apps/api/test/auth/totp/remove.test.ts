import { describe, expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../../test/support/session.ts'
import { freshAddress } from '../../support/addresses.ts'
import { actionsOf } from '../../support/audit.ts'
import { refusalOf } from '../../support/refusals.ts'
import { behindProxy, setUpTotp, signInFrom } from '../../support/sign-in.ts'

const api = useApi(behindProxy)
const path = '/auth/factors/totp'
const password = 'correct horse battery'
const tenant = useTenant(api)

describe('DELETE /auth/factors/totp', () => {
  test('204 removes it with its recovery codes: a password is enough to sign in, and the person can enroll again', async () => {
    const ana = await makeSignedIn(api, tenant, { password })
    const call = callWith(api, ana)
    const { recoveryCodes } = await setUpTotp(api, ana)
    expect((await call('delete', path)).status).toBe(204)
    expect((await call('delete', path)).status).toBe(204)
    expect(await actionsOf(api, tenant.id)).toEqual(['totp.enrol', 'totp.activate', 'totp.remove'])
    const signedIn = await signInFrom(api, freshAddress(), {
      email: ana.email,
      password,
      totp_code: recoveryCodes[0]!,
    })
    expect(signedIn.status).toBe(201)
    expect(await api.database.prisma.recoveryCode.count({ where: { userId: ana.id } })).toBe(0)
    await setUpTotp(api, ana)
  })

  test('403 reauthentication_required without a recent confirmation', async () => {
    const call = callWith(api, await makeSignedIn(api, tenant, { confirmedMsAgo: 301_000 }))
    expect(refusalOf(await call('delete', path))).toEqual({
      status: 403,
      code: 'reauthentication_required',
    })
  })
})
