import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../../../test/support/api.ts'
import { freshAddress } from '../../../support/addresses.ts'
import { behindProxy, pollCode, rowOf, signIn, startLogin } from '../../../support/device.ts'
import { notFound, refusalOf } from '../../../support/refusals.ts'

const api = useApi(behindProxy)
const conflict = { status: 409, code: 'conflict' }

describe('POST /auth/device/requests/{user_code}/refuse', () => {
  test('200 shows the request as denied, and the audit log shows who denied it', async () => {
    const ip = freshAddress()
    const login = await startLogin(api, { name: 'laptop', ip })
    const { refuse, person, audit } = await signIn(api)
    const response = await refuse(login)
    expect(response.status).toBe(200)
    expect(response.body.request).toMatchObject({ client_name: 'laptop', status: 'denied' })
    const row = await rowOf(api, login)
    expect(row).toMatchObject({ status: 'denied', access: null, decidedById: person.id })
    expect(await audit()).toMatchObject([
      {
        action: 'device.refuse',
        outcome: 'success',
        actorId: person.id,
        targetType: 'device_request',
        targetId: row.id,
        requestId: response.headers['x-request-id'],
        details: { client_name: 'laptop', requested_from: ip },
      },
    ])
  })

  test('a denied request can be neither denied again nor approved', async () => {
    const login = await startLogin(api)
    const { refuse, approve, countKeys } = await signIn(api)
    await refuse(login)
    expect(refusalOf(await refuse(login))).toEqual(conflict)
    expect(refusalOf(await approve(login))).toEqual(conflict)
    expect(await pollCode(api, login)).toBe('access_denied')
    expect(await countKeys()).toBe(0)
  })

  test('404 for an invalid code', async () => {
    const { refuse, audit } = await signIn(api)
    expect(refusalOf(await refuse({ user_code: 'BBBB-BBBB' }))).toEqual(notFound)
    expect(await audit()).toEqual([])
  })
})
