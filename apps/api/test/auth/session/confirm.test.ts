import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi, type TestTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  sessionOf,
  type TestPerson,
} from '../../../../../test/support/session.ts'
import { freshAddress } from '../../support/addresses.ts'
import { actionsOf } from '../../support/audit.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'
import { behindProxy, codeOf, setUpTotp, signInFrom, stretchDelays } from '../../support/sign-in.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)
const password = 'correct horse battery'
const path = '/auth/session/confirm'
const refused = { status: 401, code: 'invalid_credentials' }
const stale = { confirmedMsAgo: 5 * 60_000 + 1_000 }

let tenant: TestTenant
let ana: TestPerson

beforeAll(async () => {
  tenant = await api.makeTenant()
  ana = await makePerson(api, tenant, { password })
})

test('200 confirms for 5 minutes and returns a new cookie; the old cookie and its CSRF token end immediately', async () => {
  const before = await makeSession(api, ana.id, stale)
  const call = callWith(api, before)
  const enrol = await call('post', '/auth/factors/totp')
  expect(refusalOf(enrol)).toEqual({ status: 403, code: 'reauthentication_required' })
  const response = await call('post', path, { body: { password } })
  expect(response.status).toBe(200)
  const after = sessionOf(response)
  expect({ id: after.id, userId: after.userId }).toEqual({ id: before.id, userId: ana.id })
  expect(after.cookie).not.toBe(before.cookie)
  for (const process of [api, other]) {
    expect((await callWith(process, before)('get', '/auth/session')).status).toBe(401)
    expect((await callWith(process, after)('get', '/auth/session')).status).toBe(200)
  }
  const oldToken = { cookie: after.cookie, csrfToken: before.csrfToken }
  expect(refusalOf(await callWith(api, oldToken)('post', '/auth/factors/totp'))).toEqual({
    status: 403,
    code: 'csrf_failed',
  })
  expect((await callWith(api, after)('post', '/auth/factors/totp')).status).toBe(201)
  await api.database.prisma.panelSession.update({
    where: { id: after.id },
    data: { confirmedAt: new Date(Date.now() - stale.confirmedMsAgo) },
  })
  expect((await callWith(api, after)('post', '/auth/factors/totp')).status).toBe(403)
})

test('concurrent confirmations set the cookie once, and the session remains valid', async () => {
  const before = await makeSession(api, ana.id, stale)
  const responses = await Promise.all(
    [api, other, api, other].map((process) =>
      callWith(process, before)('post', path, { body: { password } }),
    ),
  )
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401])
  const winner = responses.find(({ status }) => status === 200)!
  expect((await callWith(api, sessionOf(winner))('get', '/auth/session')).status).toBe(200)
})

test('a wrong password is 401, audited and eventually delayed; only the session itself can cause the delay', async () => {
  const elsewhere = await api.makeTenant()
  const person = await makePerson(api, elsewhere, { password })
  for (let time = 0; time < 6; time++) {
    await signInFrom(api, freshAddress(), { email: person.email, password: 'wrong' })
  }
  const session = await makeSession(api, person.id, stale)
  const call = callWith(api, session)
  for (let time = 0; time < 5; time++) {
    const response = await call('post', path, { body: { password: 'wrong' } })
    expect(refusalOf(response)).toEqual(refused)
    expect(response.headers['set-cookie']).toBeUndefined()
  }
  await stretchDelays(api)
  const waiting = await call('post', path, { body: { password } })
  expect(refusalOf(waiting)).toEqual({ status: 429, code: 'rate_limited' })
  expect(Number(waiting.headers['retry-after'])).toBeGreaterThan(3_500)
  expect((await call('get', '/auth/session')).status).toBe(200)
  const second = await makeSession(api, person.id, stale)
  expect((await callWith(api, second)('post', path, { body: { password } })).status).toBe(200)
  const actions = await actionsOf(api, elsewhere.id)
  expect(actions.filter((action) => action === 'session.confirm invalid_credentials')).toHaveLength(
    5,
  )
  expect(actions.at(-1)).toBe('session.confirm')
})

test('with an authenticator the code is required and works once; a recovery code is refused', async () => {
  const person = await makePerson(api, tenant, { password })
  const session = await makeSession(api, person.id)
  const { seed, code: used, recoveryCodes } = await setUpTotp(api, session)
  const confirm = (totp_code?: string) =>
    callWith(api, session)('post', path, { body: { password, totp_code } })
  expect(refusalOf(await confirm())).toEqual({ status: 401, code: 'totp_required' })
  expect(refusalOf(await confirm(recoveryCodes[0]))).toEqual(refused)
  expect(refusalOf(await confirm(used))).toEqual(refused)
  const code = codeOf(seed, 1)
  const confirmed = await confirm(code)
  expect(confirmed.status).toBe(200)
  const again = callWith(api, sessionOf(confirmed))
  const replayed = await again('post', path, { body: { password, totp_code: code } })
  expect(refusalOf(replayed)).toEqual(refused)
})

test('an Idempotency-Key is ignored, so that nothing about a password is stored', async () => {
  const before = await makeSession(api, ana.id, stale)
  const headers = { 'idempotency-key': 'once' }
  const first = await callWith(api, before)('post', path, { body: { password }, headers })
  expect(first.status).toBe(200)
  const again = await callWith(api, sessionOf(first))('post', path, { body: { password }, headers })
  expect(again.status).toBe(200)
  expect(again.headers).not.toHaveProperty('idempotency-replayed')
  expect(again.body.csrf_token).not.toBe(first.body.csrf_token)
  const caller = { startsWith: `user:${ana.id}` }
  expect(await api.database.prisma.idempotencyRecord.count({ where: { caller } })).toBe(0)
  const bad = { 'idempotency-key': 'clé' }
  const third = await callWith(api, sessionOf(again))('post', path, {
    body: { password },
    headers: bad,
  })
  expect(third.status).toBe(200)
})

describe('POST /auth/session/confirm: 422 validation_failed', () => {
  test.each([
    ['nothing', {}, '/password'],
    ['an unknown member', { password: 'x', email: 'a@b' }, '/email'],
  ])('for %s', async (_what, body, pointer) => {
    const session = await makeSession(api, ana.id)
    const response = await callWith(api, session)('post', path, { body })
    expect(refusalOf(response)).toEqual(invalid(pointer))
  })
})
