import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { callWith, makePerson, makeSignedIn } from '../../../../test/support/session.ts'
import { passwordQueue } from '../../src/use-cases/password-hash.ts'
import { freshAddress } from '../support/addresses.ts'
import { refusalOf } from '../support/refusals.ts'
import { behindProxy, signInFrom } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = useApi(behindProxy)
const password = 'correct horse battery'
const busy = { status: 503, code: 'service_unavailable' }

let tenant: TestTenant
let releases: (() => void)[] = []

beforeAll(async () => {
  tenant = await api.makeTenant()
})

afterEach(() => {
  for (const release of releases) release()
  releases = []
})

/** Keeps every place in which passwords are hashed taken. */
function occupyHashing(): void {
  while (passwordQueue.waiting === 0) {
    const { promise, resolve } = Promise.withResolvers<void>()
    void passwordQueue.run(() => promise)
    releases.push(resolve)
  }
}

const untilWaiting = (count: number): Promise<unknown> =>
  until(`${count} wait`, () => Promise.resolve(passwordQueue.waiting >= count))

test('no transaction is open while a step-up, a new password, the directory or a sign-in waits for its hash', async () => {
  const ana = await makeSignedIn(api, tenant, { password })
  const bob = await makeSignedIn(api, tenant)
  const carol = await makePerson(api, tenant)
  occupyHashing()
  const answers = [
    callWith(api, ana)('post', '/auth/session/confirm', { body: { password } }),
    callWith(api, bob)('post', '/auth/password', { body: { new_password: password } }),
    api.callInternal('put', `/users/${carol.id}`, {
      tenant_id: tenant.id,
      email: carol.email,
      name: 'Carol',
      status: 'active',
      roles: ['admin'],
      accounts: [],
      password: 'another horse battery',
    }),
    signInFrom(api, freshAddress(), { email: ana.email, password }),
  ]
  await untilWaiting(answers.length + 1)
  const { rows } = await api.database.pool.query(
    `SELECT state, query FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`,
  )
  expect(rows).toEqual([])
  for (const release of releases) release()
  expect((await Promise.all(answers)).map(({ status }) => status).toSorted()).toEqual([
    200, 200, 201, 204,
  ])
})

test('a flood of sign-ins gets 503 with Retry-After past the limit of the queue, and keys are served meanwhile', async () => {
  const { token } = await tenant.makeKey()
  occupyHashing()
  const flood = Array.from({ length: 120 }, (_, index) =>
    signInFrom(api, freshAddress(), { email: `nobody-${index}@example.test`, password }),
  )
  const first = await Promise.race(flood)
  expect(refusalOf(first)).toEqual(busy)
  expect(Number(first.headers['retry-after'])).toBeGreaterThan(0)
  expect((await api.call('get', '/auth/me', { token })).status).toBe(200)
  const ana = await makeSignedIn(api, tenant)
  const body = { new_password: 'staple battery horse' }
  expect(refusalOf(await callWith(api, ana)('post', '/auth/password', { body }))).toEqual(busy)
  for (const release of releases) release()
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([401, 503]))
  expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(32)
  expect((await callWith(api, ana)('post', '/auth/password', { body })).status).toBe(204)
})
