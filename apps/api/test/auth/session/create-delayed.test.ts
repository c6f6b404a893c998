import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Response } from 'supertest'
import { useApi, type TestTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSignedIn,
  sessionOf,
  type TestPerson,
} from '../../../../../test/support/session.ts'
import { freshAddress } from '../../support/addresses.ts'
import { refusalOf } from '../../support/refusals.ts'
import { behindProxy, endDelays, signInFrom, stretchDelays } from '../../support/sign-in.ts'

const api = useApi(behindProxy)
const securely = useApi({ ...behindProxy, PUBLIC_URL: 'https://panel.example.test' })
const withoutRedis = useApi({ ...behindProxy, REDIS_URL: 'redis://127.0.0.1:1' })
const password = 'correct horse battery'

let tenant: TestTenant
let ana: TestPerson

beforeAll(async () => {
  tenant = await api.makeTenant()
  ana = await makePerson(api, tenant, { password })
})

/** The device cookie of a response, as a browser sends it. */
const deviceOf = ({ headers }: Response): string =>
  (headers['set-cookie'] as unknown as string[])[1]!.split(';')[0]!

describe('POST /auth/session: failed tries', () => {
  test('an account with many failures is delayed for every address, even with the right password, but never locked', async () => {
    const { email } = await makePerson(api, tenant, { password })
    const wrong = { email, password: 'wrong' }
    const statuses = []
    for (let time = 0; time < 5; time++) {
      statuses.push((await signInFrom(api, freshAddress(), wrong)).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401])
    await stretchDelays(api)
    const waiting = await signInFrom(securely, freshAddress(), { email, password })
    expect(refusalOf(waiting)).toEqual({ status: 429, code: 'rate_limited' })
    expect(Number(waiting.headers['retry-after'])).toBeGreaterThan(3_500)
    await endDelays(api)
    expect((await signInFrom(api, freshAddress(), { email, password })).status).toBe(201)
    expect((await signInFrom(api, freshAddress(), wrong)).status).toBe(401)
  })

  test('a browser that signed in before is not delayed by failures elsewhere', async () => {
    const { email } = await makePerson(api, tenant, { password })
    const first = await signInFrom(api, freshAddress(), { email, password })
    await exhaust(email)
    expect((await signInFrom(api, freshAddress(), { email, password })).status).toBe(429)
    const known = { cookie: deviceOf(first) }
    const again = await signInFrom(api, freshAddress(), { email, password }, known)
    expect(again.status).toBe(201)
    expect(deviceOf(again)).toBe(known.cookie)
  })

  test('a sign-in from a known address does not reveal who has an account', async () => {
    const [person, home] = [await makePerson(api, tenant, { password }), freshAddress()]
    expect((await signInFrom(api, home, { email: person.email, password })).status).toBe(201)
    const statuses = []
    for (const email of [person.email, 'no-account@example.test']) {
      await exhaust(email)
      statuses.push((await signInFrom(api, home, { email, password: 'wrong' })).status)
    }
    expect(statuses).toEqual([429, 429])
  })

  test('a device cookie has no effect for another person, if it is modified, or after a password change', async () => {
    const person = await makeSignedIn(api, tenant, { password })
    const bob = await makePerson(api, tenant, { password })
    const cookie = deviceOf(
      await signInFrom(api, freshAddress(), { email: person.email, password }),
    )
    const statusWith = async (email: string, shown: string, given = password) =>
      (await signInFrom(api, freshAddress(), { email, password: given }, { cookie: shown })).status
    await exhaust(person.email)
    await exhaust(bob.email)
    expect(await statusWith(bob.email, cookie)).toBe(429)
    expect(await statusWith(bob.email, cookie.replace(person.id, bob.id))).toBe(429)
    const last = cookie.at(-2) === 'A' ? 'B' : 'A'
    expect(await statusWith(person.email, cookie.slice(0, -2) + last + cookie.at(-1))).toBe(429)
    expect(await statusWith(person.email, cookie)).toBe(201)
    const newPassword = 'staple battery horse'
    const body = { new_password: newPassword }
    const changed = await callWith(api, person)('post', '/auth/password', { body })
    expect(changed.status).toBe(204)
    await exhaust(person.email)
    expect(await statusWith(person.email, cookie, newPassword)).toBe(429)
    expect(await statusWith(person.email, deviceOf(changed), newPassword)).toBe(201)
  })

  test('a browser that several people use is recognized for each of them', async () => {
    const [person, bob] = [
      await makePerson(api, tenant, { password }),
      await makePerson(api, tenant, { password }),
    ]
    const ip = freshAddress()
    const first = await signInFrom(api, ip, { email: person.email, password })
    const both = deviceOf(
      await signInFrom(api, ip, { email: bob.email, password }, { cookie: deviceOf(first) }),
    )
    for (const { email } of [person, bob]) {
      await exhaust(email)
      const again = await signInFrom(api, freshAddress(), { email, password }, { cookie: both })
      expect(again.status).toBe(201)
    }
  })

  test('an account with many failures is delayed even with a device cookie', async () => {
    const { email } = await makePerson(api, tenant, { password })
    const cookie = deviceOf(await signInFrom(api, freshAddress(), { email, password }))
    await exhaust(email, { cookie })
    const waiting = await signInFrom(api, freshAddress(), { email, password }, { cookie })
    expect(waiting.status).toBe(429)
    expect((await signInFrom(api, freshAddress(), { email, password })).status).toBe(201)
  })

  test('the device cookie is HttpOnly, and __Host- and Secure if PUBLIC_URL is https', async () => {
    const send = (process: typeof api) =>
      signInFrom(process, freshAddress(), { email: ana.email, password })
    const cookies = async (process: typeof api) =>
      ((await send(process)).headers['set-cookie'] as unknown as string[])[1]
    expect(await cookies(api)).toMatch(
      /^device=[\w.-]+; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/,
    )
    expect(await cookies(securely)).toMatch(
      /^__Host-device=[\w.-]+; Path=\/; Max-Age=31536000; Secure; HttpOnly; SameSite=Lax$/,
    )
  })

  test('an account has one count for every spelling of its address', async () => {
    const id = randomUUID()
    const email = `iiiii-${id}@example.test`
    await api.callInternal('put', `/users/${id}`, {
      tenant_id: tenant.id,
      email,
      name: 'Ana',
      status: 'active',
      roles: ['admin'],
      accounts: [],
    })
    for (const address of [email, `nobody-${email}`]) {
      const spellings = ['i', 'I', 'İ'].flatMap((first) =>
        ['i', 'I', 'İ'].map((second) => address.replace('iiiii', `${first}i${second}ii`)),
      )
      const statuses = []
      for (const spelling of spellings) {
        const { status } = await signInFrom(api, freshAddress(), {
          email: spelling,
          password: 'wrong',
        })
        statuses.push(status)
        await stretchDelays(api)
      }
      const lowered = await api.database.pool.query<{ same: boolean }>(
        'SELECT lower($1) = lower($2) AS same',
        ['İ', 'i'],
      )
      // Where the database takes İ for another letter, those are other addresses.
      const counted = lowered.rows[0]!.same
        ? statuses
        : statuses.filter((_, at) => [0, 1, 3, 4].includes(at))
      expect(counted.slice(5).every((status) => status === 429)).toBe(true)
      expect(counted.slice(0, 4)).toEqual([401, 401, 401, 401])
    }
  })

  const exhaust = async (email: string, headers: Record<string, string> = {}) => {
    for (let time = 0; time < 5; time++) {
      await signInFrom(api, freshAddress(), { email, password: 'wrong' }, headers)
    }
    await stretchDelays(api)
  }

  test('an address with many failures is delayed for every account; other addresses are not', async () => {
    const ip = '2001:db8:1:2::1'
    const nobody = (index: number) => ({ email: `nobody-${index}@example.test`, password: 'wrong' })
    const before = await Promise.all(
      Array.from({ length: 20 }, (_, index) => signInFrom(api, ip, nobody(index))),
    )
    expect(before.filter(({ status }) => status === 401)).toHaveLength(20)
    await stretchDelays(api)
    const same = await signInFrom(securely, '2001:db8:1:2:ffff::9', { email: ana.email, password })
    expect(refusalOf(same)).toEqual({ status: 429, code: 'rate_limited' })
    const other = await signInFrom(api, '2001:db8:1:3::1', { email: ana.email, password })
    expect(other.status).toBe(201)
  })

  test('delays work while Redis is down, and count across all processes', async () => {
    const { email } = await makePerson(api, tenant, { password })
    const signedIn = await signInFrom(withoutRedis, freshAddress(), { email, password })
    expect(signedIn.status).toBe(201)
    const call = callWith(withoutRedis, sessionOf(signedIn))
    expect((await call('get', '/auth/me')).status).toBe(200)
    for (let time = 0; time < 5; time++) {
      const process = time % 2 === 0 ? api : withoutRedis
      await signInFrom(process, freshAddress(), { email, password: 'wrong' })
    }
    await stretchDelays(api)
    const waiting = await signInFrom(withoutRedis, freshAddress(), { email, password })
    expect(waiting.status).toBe(429)
  })

  test('concurrent tries are admitted no more often than sequential ones', async () => {
    const { email } = await makePerson(api, tenant)
    const startedAt = performance.now()
    const responses = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        signInFrom(index % 2 === 0 ? api : securely, freshAddress(), { email, password: 'wrong' }),
      ),
    )
    const admitted = responses.filter(({ status }) => status === 401).length
    expect(admitted).toBeGreaterThanOrEqual(5)
    // The delays of 1 s, 2 s, 4 s and so on that pass meanwhile.
    const passed = Math.ceil(Math.log2(1 + (performance.now() - startedAt) / 1_000))
    expect(admitted).toBeLessThanOrEqual(6 + passed)
  })
})
