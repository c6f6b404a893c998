import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { codeOf, setUpTotp, stretchDelays } from '../../apps/api/test/support/sign-in.ts'
import { decryptFlashSecret } from '../../apps/api/src/panel/flash-secret.ts'
import { useApi, type TestApi, type TestTenant } from '../support/api.ts'
import { testConfig } from '../support/environment.ts'
import { makePerson, makeSession } from '../support/session.ts'
import { headingOf, visitorOf, type Visitor } from './visitor.ts'

const api = useApi()
const other = useApi()
const password = 'correct horse battery'

let tenant: TestTenant
let ana: Awaited<ReturnType<typeof makeGuarded>>

/** A person with a password and an authenticator. */
async function makeGuarded() {
  const person = await makePerson(api, tenant, { password })
  return { ...person, ...(await setUpTotp(api, await makeSession(api, person.id))) }
}

beforeAll(async () => {
  tenant = await api.makeTenant()
  ana = await makeGuarded()
})

beforeEach(async () => {
  await api.database.prisma.failedTries.deleteMany()
  await api.database.pool.query('UPDATE totp_factors SET last_time_step = NULL')
})

/** Enters the password. Returns the browser at the page that asks for the code, and its cookie. */
async function enterPassword(of: { readonly email: string } = ana) {
  const visitor = visitorOf(api)
  const sent = await visitor.post('/sign-in', { do: 'sign-in', email: of.email, password })
  expect(sent.headers['location']).toBe('/sign-in/code?next=%2F')
  const cookies = sent.headers['set-cookie'] as unknown as string[]
  const cookie = cookies.find((text) => text.startsWith('handover='))!.split(';')[0]!
  return { visitor, cookie }
}

const enterCode = (visitor: Visitor, code: string) =>
  visitor.post('/sign-in/code?next=%2F', { do: 'verify', totp_code: code, next: '/' })

/** Submits the code with a copy of the cookie. */
const submitCopy = (at: TestApi, cookie: string, code: string) =>
  visitorOf(at).post(
    '/sign-in/code',
    { do: 'verify', totp_code: code, next: '/security' },
    { cookie },
  )

const isSignedIn = async (visitor: Visitor): Promise<boolean> =>
  headingOf(await visitor.get('/security')) === 'Security'

const expectTimedOut = async (visitor: Visitor): Promise<void> => {
  expect((await visitor.get('/sign-in/code')).text).toContain('Sign-in timed out')
  await enterCode(visitor, codeOf(ana.seed))
  expect(await isSignedIn(visitor)).toBe(false)
}

test('the right code completes the sign-in', async () => {
  const { visitor } = await enterPassword()
  expect(headingOf(await visitor.get('/sign-in/code'))).toBe('Enter your code')
  await enterCode(visitor, codeOf(ana.seed))
  expect(await isSignedIn(visitor)).toBe(true)
  expect(await api.database.prisma.pendingSignIn.count()).toBe(0)
})

test('between the steps, neither the browser nor the database has the password', async () => {
  const { cookie } = await enterPassword()
  const text = decryptFlashSecret(
    testConfig().serverSecrets!.reveal(),
    { path: '/sign-in/code', owner: undefined },
    { encrypted: cookie.split('=')[1]!, now: new Date() },
  )!
  expect(text).not.toContain(password)
  expect(text).not.toContain(ana.email)
  const { rows } = await api.database.pool.query('SELECT p::text AS text FROM pending_sign_ins p')
  expect(JSON.stringify(rows)).not.toContain(text.split('.')[1])
  expect(JSON.stringify(rows)).not.toContain('argon2')
})

test('a wrong code can be corrected without entering the password again', async () => {
  const { visitor } = await enterPassword()
  await enterCode(visitor, '000000')
  expect((await visitor.get('/sign-in/code?next=%2F')).text).toContain('role="alert"')
  await enterCode(visitor, codeOf(ana.seed))
  expect(await isSignedIn(visitor)).toBe(true)
})

test('wrong codes are delayed like wrong passwords, on every process', async () => {
  const { visitor, cookie } = await enterPassword()
  for (let times = 0; times < 5; times++) await enterCode(visitor, '000000')
  await stretchDelays(api)
  const refused = await submitCopy(other, cookie, codeOf(ana.seed))
  const [draft] = refused.headers['set-cookie'] as unknown as string[]
  const page = await visitorOf(other).get('/sign-in/code', {
    cookie: `${cookie}; ${draft!.split(';')[0]!}`,
  })
  expect(page.text).toContain('Too many')
  await enterCode(visitor, codeOf(ana.seed))
  expect(await isSignedIn(visitor)).toBe(false)
})

test('copies of the cookie open one session, even with different codes on two processes', async () => {
  const ben = await makeGuarded()
  const { cookie } = await enterPassword(ben)
  const responses = await Promise.all(
    ben.recoveryCodes
      .slice(0, 4)
      .map((code, index) => submitCopy(index % 2 ? api : other, cookie, code)),
  )
  const opened = responses.filter(({ headers }) =>
    (headers['set-cookie'] as unknown as string[]).some((text) => /^session=[^;]/.test(text)),
  )
  expect(opened).toHaveLength(1)
  const where = { userId: ben.id, usedAt: { not: null } }
  expect(await api.database.prisma.recoveryCode.count({ where })).toBe(1)
})

test('the sign-in expires after five minutes by the clock of the database', async () => {
  const { visitor } = await enterPassword()
  const { rows } = await api.database.pool.query<{ seconds: number }>(
    `SELECT extract(epoch FROM max(expires_at) - now())::float AS seconds FROM pending_sign_ins`,
  )
  await api.database.pool.query('UPDATE pending_sign_ins SET expires_at = now()')
  expect(rows[0]!.seconds).toBeGreaterThan(200)
  expect(rows[0]!.seconds).toBeLessThanOrEqual(300)
  await expectTimedOut(visitor)
})

test.each([
  ['a new password', { password: 'another horse battery' }],
  ['a deactivation', { status: 'deactivated' }],
])('%s by the directory ends the sign-in on every process', async (_what, change) => {
  const cay = await makeGuarded()
  const { visitor } = await enterPassword(cay)
  const person = { tenant_id: tenant.id, email: cay.email, name: 'Cay', roles: ['admin'] }
  const put = (fields: object) =>
    other.callInternal('put', `/users/${cay.id}`, { ...person, accounts: [], ...fields })
  expect((await put({ status: 'active', ...change })).status).toBe(200)
  expect((await put({ status: 'active' })).status).toBe(200)
  await enterCode(visitor, codeOf(cay.seed))
  expect(await isSignedIn(visitor)).toBe(false)
  expect((await visitor.get('/sign-in/code')).text).toContain('Sign-in timed out')
})
