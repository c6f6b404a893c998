import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../../../test/support/api.ts'
import { callWith, makeSession } from '../../../../../../test/support/session.ts'
import { freshAddress } from '../../../support/addresses.ts'
import {
  behindProxy,
  pass,
  poll,
  requestPath,
  rowOf,
  signIn,
  startLogin,
} from '../../../support/device.ts'
import { notFound, refusalOf } from '../../../support/refusals.ts'

const api = useApi(behindProxy)
const limited = { status: 429, code: 'rate_limited' }

describe('GET /auth/device/requests/{user_code}', () => {
  test('200 shows who requested access, from where and when', async () => {
    const ip = '2001:db8:1:2::7'
    const login = await startLogin(api, { ip, name: '<b>laptop</b>' })
    const { look } = await signIn(api)
    const { createdAt, expiresAt } = await rowOf(api, login)
    const { status, body } = await look(login)
    expect(status).toBe(200)
    expect(body).toEqual({
      request: {
        client_name: '<b>laptop</b>',
        ip,
        user_agent: 'hctl/1.2 (linux)',
        created_at: createdAt.toISOString(),
        expires_at: expiresAt.toISOString(),
        status: 'pending',
      },
    })
  })

  test('the code is accepted in any case, with or without spaces and dashes, and reading changes nothing', async () => {
    const login = await startLogin(api)
    const before = await rowOf(api, login)
    const { look } = await signIn(api)
    const bare = login.user_code.replace('-', '')
    for (const user_code of [bare.toLowerCase(), ` ${bare.split('').join(' ')} `, `${bare}-`]) {
      expect((await look({ user_code })).status).toBe(200)
    }
    expect(await rowOf(api, login)).toEqual(before)
  })

  test('it shows each state by its name', async () => {
    const { look, approve, refuse } = await signIn(api)
    const [approved, denied, delivered, expired] = [
      await startLogin(api),
      await startLogin(api),
      await startLogin(api),
      await startLogin(api),
    ] as const
    await approve(approved)
    await refuse(denied)
    await approve(delivered)
    await poll(api, delivered)
    await pass(api, 600_000, expired)
    const shown = await Promise.all([approved, denied, delivered, expired].map(look))
    expect(shown.map(({ body }) => body.request.status)).toEqual([
      'approved',
      'denied',
      'delivered',
      'expired',
    ])
  })

  test('401 without a session, 403 api_key_not_allowed for a key, whatever its scopes', async () => {
    const login = await startLogin(api)
    const path = requestPath(login)
    expect((await api.call('get', path)).body.code).toBe('authentication_required')
    const { token } = await (await api.makeTenant()).makeKey()
    for (const [verb, of] of [
      ['get', path],
      ['post', `${path}/approve`],
      ['post', `${path}/refuse`],
    ] as const) {
      const response = await api.call(verb, of, { token })
      expect(refusalOf(response)).toEqual({ status: 403, code: 'api_key_not_allowed' })
    }
  })
})

describe('GET /auth/device/requests/{user_code}: five wrong codes within ten minutes', () => {
  const wrong = ['BBBB-BBBB', 'AAAA-1111', 'x', 'BCDFGHJKL', '%20'].map((user_code) => ({
    user_code,
  }))

  test('any code then gets 429 when read, approved or denied, in every session and process', async () => {
    const login = await startLogin(api)
    const { look, approve, refuse, person } = await signIn(api)
    expect(refusalOf(await look(wrong[0]!))).toEqual(notFound)
    expect(refusalOf(await approve(wrong[1]!))).toEqual(notFound)
    expect(refusalOf(await refuse(wrong[2]!))).toEqual(notFound)
    expect(refusalOf(await look(wrong[3]!))).toEqual(notFound)
    expect((await look(login)).status).toBe(200)
    expect(refusalOf(await look(wrong[4]!))).toEqual(notFound)
    const refused = await look(login)
    expect(refusalOf(refused)).toEqual(limited)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(590)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(600)
    const again = await makeSession(api, person.id)
    const elsewhere = callWith(withoutRedis, again)
    expect(refusalOf(await elsewhere('get', requestPath(login)))).toEqual(limited)
    expect(refusalOf(await approve(login))).toEqual(limited)
    expect(refusalOf(await refuse(login))).toEqual(limited)
    expect((await rowOf(api, login)).status).toBe('pending')
    expect((await (await signIn(api)).look(login)).status).toBe(200)
    await api.database.pool.query(
      `UPDATE wrong_user_codes SET given_at = given_at - interval '10 minutes' WHERE user_id = $1`,
      [person.id],
    )
    expect((await approve(login)).status).toBe(200)
  })

  test('only five of 30 concurrent guesses are checked', async () => {
    const { look, person } = await signIn(api)
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => look(wrong[index % wrong.length]!)),
    )
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([...Array<number>(5).fill(404), ...Array<number>(25).fill(429)])
    expect(await api.database.prisma.wrongUserCode.count({ where: { userId: person.id } })).toBe(5)
  })

  const withoutRedis = useApi({ ...behindProxy, REDIS_URL: 'redis://127.0.0.1:1' })
})

test("the displayed address is the client's own, whatever the headers claim", async () => {
  const ip = freshAddress()
  const login = await startLogin(api, { ip: `203.0.113.66, ${ip}` })
  const { look } = await signIn(api)
  expect((await look(login)).body.request.ip).toBe(ip)
})
