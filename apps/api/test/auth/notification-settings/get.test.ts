import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../../test/support/session.ts'
import { refusalOf } from '../../support/refusals.ts'

const api = useApi()
const path = '/auth/notification-settings'

describe('GET /auth/notification-settings', () => {
  test('200 has every mail on until the person changes it', async () => {
    const ana = await makeSignedIn(api, await api.makeTenant())
    const { status, body } = await callWith(api, ana)('get', path)
    expect(status).toBe(200)
    expect(body).toEqual({ email: { webhooks: true, api_keys: true, security: true } })
  })

  test('a key is refused: 403 api_key_not_allowed', async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    expect(refusalOf(await api.call('get', path, { token }))).toEqual({
      status: 403,
      code: 'api_key_not_allowed',
    })
  })
})
