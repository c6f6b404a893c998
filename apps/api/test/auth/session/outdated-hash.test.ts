import { describe, expect, test } from '@jest/globals'
import { deviceCookie } from '@hosting/core/sessions'
import { hash } from '@node-rs/argon2'
import { useApi } from '../../../../../test/support/api.ts'
import { serverSecret } from '../../../../../test/support/environment.ts'
import { callWith, makePerson, makeSession } from '../../../../../test/support/session.ts'
import { freshAddress } from '../../support/addresses.ts'
import { withPasswordHasher } from '../../../src/api/passwords/password-hash.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32' })

const password = 'Zürich-Pässwörter-ﬁ-1'
const older = { memoryCost: 8_192, timeCost: 2 }

/** Hashes that a sign-in replaces. */
const outdated: readonly (readonly [what: string, make: () => Promise<string>])[] = [
  ['of a password in NFD', () => hash(password.normalize('NFD'))],
  ['of a password in NFC', () => hash(password.normalize('NFC'))],
  ['with other parameters', () => hash(password.normalize('NFKC'), older)],
]

/** A person with a hash that was made before. */
async function makeWith(passwordHash: string) {
  const person = await makePerson(api, await api.makeTenant())
  await api.database.prisma.user.update({ where: { id: person.id }, data: { passwordHash } })
  return person
}

const storedHash = async (id: string): Promise<string> =>
  (await api.database.prisma.user.findUniqueOrThrow({ where: { id } })).passwordHash!

const isCurrent = async (passwordHash: string): Promise<boolean> =>
  (await withPasswordHasher((hasher) => hasher.check(passwordHash, password))) === 'current'

const signIn = (email: string, given = password, cookie?: string) =>
  api.call('post', '/auth/session', {
    body: { email, password: given },
    headers: { 'x-forwarded-for': freshAddress(), ...(cookie !== undefined && { cookie }) },
  })

describe('the hash of a password that was made before is replaced by the next successful sign-in', () => {
  test.each(outdated)('%s', async (_what, make) => {
    const before = await make()
    const { id, email } = await makeWith(before)
    expect((await signIn(email, 'a wrong password')).status).toBe(401)
    expect(await storedHash(id)).toBe(before)
    expect((await signIn(email)).status).toBe(201)
    const after = await storedHash(id)
    expect(await isCurrent(after)).toBe(true)
    expect((await signIn(email, password.normalize('NFD'))).status).toBe(201)
    expect(await storedHash(id)).toBe(after)
  })

  test('a person who may not sign in keeps theirs', async () => {
    const before = await hash(password, older)
    const { id, email } = await makeWith(before)
    await api.database.prisma.user.update({ where: { id }, data: { status: 'deactivated' } })
    expect((await signIn(email)).status).toBe(401)
    expect(await storedHash(id)).toBe(before)
  })

  test('the browser that signs in stays a known device', async () => {
    const passwordHash = await hash(password, older)
    const { id, email } = await makeWith(passwordHash)
    const owner = { userId: id, passwordHash }
    const shown = { isHttps: false, header: undefined }
    const proof = deviceCookie([serverSecret], owner, shown)
    const notices = () =>
      api.database.prisma.notice.count({ where: { userId: id, type: 'sign_in.new_device' } })
    await makeSession(api, id)
    const cookies = ([line]: readonly string[]) => line!.split(';')[0]!
    const { status, headers } = await signIn(email, password, cookies([proof]))
    expect(status).toBe(201)
    expect(await isCurrent(await storedHash(id))).toBe(true)
    const next = [headers['set-cookie']!].flat().filter((line) => line.startsWith('device'))
    expect((await signIn(email, password, cookies(next))).status).toBe(201)
    expect(await notices()).toBe(0)
    // The first session never gets a notice. A browser without a proof gets one now.
    expect((await signIn(email)).status).toBe(201)
    expect(await notices()).toBe(1)
  })
})

test('of sign-ins and confirmations at the same time, all succeed, and one hash is stored', async () => {
  const { id, email } = await makeWith(await hash(password.normalize('NFD'), older))
  const session = await makeSession(api, id, { confirmedMsAgo: 600_000 })
  const confirm = () =>
    callWith(api, session)('post', '/auth/session/confirm', {
      body: { password },
    })
  const responses = await Promise.all([
    ...Array.from({ length: 4 }, () => signIn(email)),
    confirm(),
    signIn(email, 'a wrong password'),
  ])
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201, 200, 401])
  const stored = await storedHash(id)
  expect(await isCurrent(stored)).toBe(true)
  expect((await signIn(email)).status).toBe(201)
  expect(await storedHash(id)).toBe(stored)
})

test('a PUT of the same password replaces the hash and ends no session', async () => {
  const { id, email } = await makeWith(await hash(password.normalize('NFC')))
  const session = await makeSession(api, id)
  const user = await api.database.prisma.user.findUniqueOrThrow({ where: { id } })
  const { status } = await api.callInternal('put', `/users/${id}`, {
    tenant_id: user.tenantId,
    email,
    name: user.name,
    status: 'active',
    roles: ['admin'],
    accounts: [],
    password,
  })
  expect(status).toBe(200)
  expect(await isCurrent(await storedHash(id))).toBe(true)
  expect((await callWith(api, session)('get', '/auth/session')).status).toBe(200)
})
