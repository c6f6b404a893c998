import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import type { Response } from 'supertest'
import { callWith, makeSession, makeSignedIn } from '../../../../test/support/session.ts'
import { freshAddress } from '../support/addresses.ts'
import { actionsOf } from '../support/audit.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { behindProxy, signInFrom } from '../support/sign-in.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)
const path = '/auth/password'
const password = 'correct horse battery'
const newPassword = 'staple battery horse'
const signedOut = { status: 401, code: 'authentication_required' }

let tenant: TestTenant

/** The session after a new password. */
const renewedOf = ({ headers }: Response) => ({
  cookie: (headers['set-cookie'] as unknown as string[])[0]!.split(';')[0]!,
  csrfToken: '',
})

beforeAll(async () => {
  tenant = await api.makeTenant()
})

test('204 changes the password, ends every other session of the person and renews the current one', async () => {
  const ana = await makeSignedIn(api, tenant, { password })
  const elsewhere = await makeSession(api, ana.id)
  const stranger = await makeSignedIn(api, tenant)
  const response = await callWith(api, ana)('post', path, { body: { new_password: newPassword } })
  expect(response.status).toBe(204)
  expect(refusalOf(await callWith(other, elsewhere)('get', '/auth/me'))).toEqual(signedOut)
  expect(refusalOf(await callWith(other, ana)('get', '/auth/me'))).toEqual(signedOut)
  const renewed = renewedOf(response)
  expect(renewed.cookie).toMatch(new RegExp(`^session=${ana.sessionId}\\.`))
  expect((await callWith(other, renewed)('get', '/auth/me')).status).toBe(200)
  expect((await callWith(other, stranger)('get', '/auth/me')).status).toBe(200)
  const signIn = (shown: string) =>
    signInFrom(api, freshAddress(), { email: ana.email, password: shown })
  expect((await signIn(password)).status).toBe(401)
  expect((await signIn(newPassword)).status).toBe(201)
  expect(await actionsOf(api, tenant.id)).toContain('password.change')
  const { passwordHash } = await api.database.prisma.user.findUniqueOrThrow({
    where: { id: ana.id },
  })
  expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('a concurrent sign-in with the old password leaves no session', async () => {
  const ana = await makeSignedIn(api, tenant, { password })
  const [changed, ...signIns] = await Promise.all([
    callWith(api, ana)('post', path, { body: { new_password: newPassword } }),
    ...[0, 1, 2].map(() => signInFrom(other, freshAddress(), { email: ana.email, password })),
  ])
  expect(changed.status).toBe(204)
  for (const { status } of signIns) expect([201, 401]).toContain(status)
  const { body } = await callWith(api, renewedOf(changed))('get', '/auth/sessions')
  expect(body.items).toMatchObject([{ id: ana.sessionId }])
})

test('403 reauthentication_required if the confirmation is older than 5 minutes', async () => {
  const ana = await makeSignedIn(api, tenant, { confirmedMsAgo: 301_000 })
  const response = await callWith(api, ana)('post', path, { body: {} })
  expect(refusalOf(response)).toEqual({ status: 403, code: 'reauthentication_required' })
})

test('409 conflict for a person without a password, and no password is set', async () => {
  const ana = await makeSignedIn(api, tenant, { withoutPassword: true })
  const response = await callWith(api, ana)('post', path, { body: { new_password: newPassword } })
  expect(refusalOf(response)).toEqual({ status: 409, code: 'conflict' })
  const signIn = { email: ana.email, password: newPassword }
  expect((await signInFrom(api, freshAddress(), signIn)).status).toBe(401)
  expect(await api.database.prisma.user.findUnique({ where: { id: ana.id } })).toMatchObject({
    passwordHash: null,
  })
  expect((await callWith(other, ana)('get', '/auth/me')).status).toBe(200)
})

describe('POST /auth/password: new password', () => {
  test.each([
    ['has 11 characters', { new_password: 'a'.repeat(11) }, '/new_password'],
    ['has 257 characters', { new_password: 'a'.repeat(257) }, '/new_password'],
    ['is missing', {}, '/new_password'],
    ['comes with another member', { new_password: newPassword, password }, '/password'],
  ])('422 validation_failed if it %s', async (_what, body, pointer) => {
    const call = callWith(api, await makeSignedIn(api, tenant))
    expect(refusalOf(await call('post', path, { body }))).toEqual(invalid(pointer))
  })

  test.each(['aaaaaaaaaaaa', '1qaz2wsx3edc', 'password1234'])(
    '422 validation_failed for the common password %s',
    async (given) => {
      const call = callWith(api, await makeSignedIn(api, tenant))
      const response = await call('post', path, { body: { new_password: given } })
      expect(refusalOf(response)).toEqual(invalid('/new_password'))
    },
  )

  test("422 validation_failed for the person's email address", async () => {
    const ana = await makeSignedIn(api, tenant)
    const body = { new_password: ana.email.toUpperCase() }
    const response = await callWith(api, ana)('post', path, { body })
    expect(refusalOf(response)).toEqual(invalid('/new_password'))
  })

  test('passwords of 12 and of 256 characters of any kind are accepted', async () => {
    for (const given of ['é'.repeat(6) + 'ñ'.repeat(6), '🔑'.repeat(256)]) {
      const ana = await makeSignedIn(api, tenant)
      const { status } = await callWith(api, ana)('post', path, { body: { new_password: given } })
      expect(status).toBe(204)
      const body = { email: ana.email, password: given }
      expect((await signInFrom(api, freshAddress(), body)).status).toBe(201)
    }
  })
})
