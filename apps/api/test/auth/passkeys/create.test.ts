import { describe, expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSignedIn,
  sessionOf,
} from '../../../../../test/support/session.ts'
import { auditEntriesOf } from '../../support/audit.ts'
import { Authenticator, type Claims } from '../../support/authenticator.ts'
import {
  addPasskey,
  creationOptions,
  requestOptions,
  withPasskeys,
} from '../../support/passkeys.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'

const api = useApi(withPasskeys)
const other = useApi(withPasskeys)
const path = '/auth/factors/passkeys'
const conflict = { status: 409, code: 'conflict' }
const tenant = useTenant(api)

const enter = () => makeSignedIn(api, tenant)

describe('POST /auth/factors/passkeys', () => {
  test('201 returns the passkey, with an audit row and a notice', async () => {
    const ana = await enter()
    const call = callWith(api, ana)
    const credential = new Authenticator().create(await creationOptions(api, ana))
    const { status, body } = await call('post', path, { body: { name: 'Laptop', credential } })
    expect(status).toBe(201)
    expect(body).toEqual({
      passkey: {
        id: expect.any(String),
        name: 'Laptop',
        created_at: expect.any(String),
        last_used_at: null,
        backed_up: false,
      },
    })
    expect((await auditEntriesOf(api, tenant.id)).at(-1)).toMatchObject({
      action: 'passkey.create',
      targetId: ana.id,
      details: { passkey_id: body.passkey.id, name: 'Laptop' },
    })
    const notices = await call('get', '/notices')
    expect(notices.body.items).toMatchObject([
      { type: 'security.changed', title: 'A passkey was added to your account' },
    ])
  })

  test.each<[what: string, claims: Claims]>([
    ['another origin', { origin: 'https://panel.example.com' }],
    ['another relying party', { rpId: 'example.test' }],
    ['no user verification', { isUserVerified: false }],
  ])('422 for %s, and the challenge is used up', async (_what, claims) => {
    const ana = await enter()
    const options = await creationOptions(api, ana)
    const add = (credential: unknown) =>
      callWith(api, ana)('post', path, { body: { name: 'x', credential } })
    expect(refusalOf(await add(new Authenticator().create(options, claims)))).toEqual(
      invalid('/credential'),
    )
    expect(refusalOf(await add(new Authenticator().create(options)))).toEqual(
      invalid('/credential'),
    )
  })

  test("422 for another person's options and for sign-in options", async () => {
    const [ana, ben] = [await enter(), await enter()]
    const add = (challenge: string, options: Parameters<Authenticator['create']>[0]) =>
      callWith(api, ben)('post', path, {
        body: { name: 'x', credential: new Authenticator().create({ ...options, challenge }) },
      })
    const options = await creationOptions(api, ana)
    expect(refusalOf(await add(options.challenge, options))).toEqual(invalid('/credential'))
    const { challenge } = await requestOptions(api)
    expect(refusalOf(await add(challenge, options))).toEqual(invalid('/credential'))
  })

  test('422 for a name without a visible character, and 401 without a session', async () => {
    const ana = await enter()
    const credential = new Authenticator().create(await creationOptions(api, ana))
    const body = { name: '\u200d', credential }
    expect(refusalOf(await callWith(api, ana)('post', path, { body }))).toEqual(invalid('/name'))
    expect(refusalOf(await api.call('post', path, { body })).code).toBe('authentication_required')
  })

  test('409 for a credential that is already registered', async () => {
    const [ana, ben] = [await enter(), await enter()]
    const authenticator = new Authenticator()
    await addPasskey(api, ana, authenticator)
    const credential = authenticator.create(await creationOptions(api, ben))
    const body = { name: 'Laptop', credential }
    expect(refusalOf(await callWith(api, ben)('post', path, { body }))).toEqual(conflict)
  })

  test('a person can add at most 10, even concurrently', async () => {
    const ana = await enter()
    for (let count = 0; count < 8; count++) await addPasskey(api, ana)
    const options = await Promise.all([1, 2, 3, 4].map(() => creationOptions(api, ana)))
    const responses = await Promise.all(
      options.map((each, index) =>
        callWith(index % 2 === 0 ? api : other, ana)('post', path, {
          body: { name: 'Phone', credential: new Authenticator().create(each) },
        }),
      ),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409])
    expect(await api.database.prisma.passkey.count({ where: { userId: ana.id } })).toBe(10)
  })

  test('409 while impersonating', async () => {
    const [ana, ben] = [await enter(), await makePerson(api, tenant)]
    const credential = new Authenticator().create(await creationOptions(api, ana))
    const started = await callWith(api, ana)('post', '/auth/impersonation', {
      body: { user_id: ben.id },
    })
    const body = { name: 'Laptop', credential }
    expect(refusalOf(await callWith(api, sessionOf(started))('post', path, { body }))).toEqual(
      conflict,
    )
  })
})
