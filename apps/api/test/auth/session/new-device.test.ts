import { beforeEach, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi, type TestTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  sessionOf,
  type TestPerson,
} from '../../../../../test/support/session.ts'
import { freshAddress } from '../../support/addresses.ts'
import type { NoticeView } from '../../support/notices.ts'
import { behindProxy, signInFrom } from '../../support/sign-in.ts'

const api = useApi(behindProxy)
const password = 'correct horse battery'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
let tenant: TestTenant
let ana: TestPerson

beforeEach(async () => {
  tenant = await api.makeTenant()
  ana = await makePerson(api, tenant, { password })
})

const signIn = (person: TestPerson, { cookie = '', ip = freshAddress() } = {}) =>
  signInFrom(api, ip, { email: person.email, password }, { cookie, 'user-agent': firefox })

/** The device cookie that a sign-in gave. */
const deviceCookieOf = ({ headers }: Response): string =>
  (headers['set-cookie'] as unknown as string[])
    .find((cookie) => cookie.startsWith('device='))!
    .split(';')[0]!

async function noticesAfter(response: Response): Promise<NoticeView[]> {
  expect(response.status).toBe(201)
  return (await callWith(api, sessionOf(response))('get', '/notices')).body.items as NoticeView[]
}

test('the first sign-in ever causes no notice; one with another browser does', async () => {
  expect(await noticesAfter(await signIn(ana))).toEqual([])
  const ip = freshAddress()
  const second = await signIn(ana, { ip })
  expect(await noticesAfter(second)).toMatchObject([
    {
      type: 'sign_in.new_device',
      subject: { type: 'session', id: sessionOf(second).id, name: 'Firefox on Linux' },
      text: expect.stringContaining(`Firefox on Linux, IP address ${ip}.`),
      path: '/security',
    },
  ])
})

test('a browser with a device cookie of the person causes no notice', async () => {
  const first = await signIn(ana)
  expect(await noticesAfter(await signIn(ana, { cookie: deviceCookieOf(first) }))).toEqual([])
})

test("a browser with only another person's device cookie causes a notice", async () => {
  const bea = await makePerson(api, tenant, { password })
  const cookie = deviceCookieOf(await signIn(bea))
  await signIn(ana)
  expect(await noticesAfter(await signIn(ana, { cookie }))).toHaveLength(1)
})

test('the first sign-in is remembered after its session is deleted', async () => {
  await signIn(ana)
  await api.database.pool.query('DELETE FROM panel_sessions WHERE user_id = $1', [ana.id])
  expect(await noticesAfter(await signIn(ana))).toHaveLength(1)
})

test('a failed sign-in causes no notice', async () => {
  const first = await signIn(ana)
  const body = { email: ana.email, password: 'wrong' }
  expect((await signInFrom(api, freshAddress(), body)).status).toBe(401)
  expect(await noticesAfter(first)).toEqual([])
})

test('race: of two concurrent first sign-ins, the later one causes a notice', async () => {
  const responses = await Promise.all([signIn(ana), signIn(ana)])
  expect(responses.map(({ status }) => status)).toEqual([201, 201])
  expect(await noticesAfter(responses[0])).toHaveLength(1)
})
