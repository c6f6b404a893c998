import { describe, expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makeSession,
  makeSignedIn,
  sessionOf,
} from '../../../../../test/support/session.ts'
import { freshAddress } from '../../support/addresses.ts'
import { auditEntriesOf } from '../../support/audit.ts'
import { Authenticator, type Claims } from '../../support/authenticator.ts'
import type { NoticeView } from '../../support/notices.ts'
import {
  addPasskey,
  requestOptions,
  sendPasskey,
  signInByPasskey,
  withPasskeys,
} from '../../support/passkeys.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'
import { setUpTotp } from '../../support/sign-in.ts'

const api = useApi(withPasskeys)
const other = useApi(withPasskeys)
const refused = { status: 401, code: 'invalid_credentials' }
const tenant = useTenant(api)

async function enrol(options: ConstructorParameters<typeof Authenticator>[0] = {}) {
  const ana = await makeSignedIn(api, tenant)
  const authenticator = new Authenticator(options)
  const id = await addPasskey(api, ana, authenticator)
  return { ana, authenticator, id }
}

const lastAudit = async () => (await auditEntriesOf(api, tenant.id)).at(-1)

async function noticesOf(userId: string): Promise<NoticeView[]> {
  const { body } = await callWith(api, await makeSession(api, userId))('get', '/notices')
  return body.items as NoticeView[]
}

describe('POST /auth/session with a passkey', () => {
  test('201 opens a confirmed session, even for a person with an authenticator app', async () => {
    const { ana, authenticator, id } = await enrol()
    await setUpTotp(api, ana)
    const response = await signInByPasskey(api, authenticator)
    expect(response.status).toBe(201)
    expect(response.body).toMatchObject({ user: { id: ana.id }, impersonator: null })
    const session = sessionOf(response)
    const call = callWith(other, session)
    expect((await call('post', '/auth/factors/passkeys/options')).status).toBe(200)
    expect(await lastAudit()).toMatchObject({
      action: 'session.create',
      actorId: ana.id,
      targetId: session.id,
      details: { method: 'passkey' },
    })
    const { body } = await call('get', '/auth/factors/passkeys')
    expect(body.items).toEqual([expect.objectContaining({ id, last_used_at: expect.any(String) })])
  })

  test('the browser is known from then on, and an unknown browser causes a notice', async () => {
    const { ana, authenticator } = await enrol()
    const first = await signInByPasskey(api, authenticator)
    const cookies = (first.headers['set-cookie'] as unknown as string[]).map(
      (cookie) => cookie.split(';')[0]!,
    )
    await signInByPasskey(api, authenticator, {}, { cookie: cookies.join('; ') })
    const isNew = ({ type }: NoticeView) => type === 'sign_in.new_device'
    const before = (await noticesOf(ana.id)).filter(isNew).length
    await signInByPasskey(api, authenticator)
    expect((await noticesOf(ana.id)).filter(isNew)).toHaveLength(before + 1)
  })

  test('a challenge works once, even for concurrent requests to two processes', async () => {
    const { authenticator } = await enrol({ counts: false })
    const passkey = authenticator.get(await requestOptions(api))
    const responses = await Promise.all(
      [api, other, api, other].map((process) => sendPasskey(process, passkey)),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 401, 401, 401])
  })

  test('a refused response consumes its challenge', async () => {
    const { authenticator } = await enrol()
    const options = await requestOptions(api)
    expect(
      (await sendPasskey(api, authenticator.get(options, { isUserVerified: false }))).status,
    ).toBe(401)
    expect(refusalOf(await sendPasskey(api, authenticator.get(options)))).toEqual(refused)
  })

  test.each<[what: string, claims: Claims]>([
    ['another origin', { origin: 'https://panel.example.com' }],
    ['another port of the host', { origin: 'http://localhost:9090' }],
    ['another relying party', { rpId: 'example.test' }],
    ['no user verification', { isUserVerified: false }],
    ['the response to a registration', { type: 'webauthn.create' }],
    ['the handle of another person', { userHandle: Buffer.alloc(16).toString('base64url') }],
  ])('401 invalid_credentials for %s, with an audit row', async (_what, claims) => {
    const { ana, authenticator } = await enrol()
    expect(refusalOf(await signInByPasskey(api, authenticator, claims))).toEqual(refused)
    expect(await lastAudit()).toMatchObject({
      action: 'session.refuse',
      reason: 'invalid_credentials',
      targetId: ana.id,
      details: { method: 'passkey' },
    })
  })

  test("401 for another key's signature, an unknown passkey and an unissued challenge", async () => {
    const { authenticator } = await enrol()
    const thief = new Authenticator()
    const forged = {
      ...thief.get(await requestOptions(api)),
      id: authenticator.id,
      rawId: authenticator.id,
    }
    expect(refusalOf(await sendPasskey(api, forged))).toEqual(refused)
    expect(refusalOf(await signInByPasskey(api, thief))).toEqual(refused)
    const options = await requestOptions(api)
    const invented = authenticator.get({
      ...options,
      challenge: options.challenge.replace(/^./, '_'),
    })
    expect(refusalOf(await sendPasskey(api, invented))).toEqual(refused)
  })

  test('401 for a registration challenge, and for a deactivated person', async () => {
    const { ana, authenticator } = await enrol()
    const { body } = await callWith(api, ana)('post', '/auth/factors/passkeys/options')
    const options = { ...(await requestOptions(api)), challenge: body.options.challenge as string }
    expect(refusalOf(await sendPasskey(api, authenticator.get(options)))).toEqual(refused)
    await api.database.prisma.user.update({
      where: { id: ana.id },
      data: { status: 'deactivated' },
    })
    expect(refusalOf(await signInByPasskey(api, authenticator))).toEqual(refused)
  })

  test.each<[what: string, body: Record<string, unknown>, pointers: string[]]>([
    ['no member', {}, ['/email', '/password']],
    ['only an email address', { email: 'ana@example.test' }, ['/password']],
    ['a passkey and an email address', { passkey: 'valid', email: 'a@example.test' }, ['/email']],
    ['a passkey that is no object', { passkey: 'x' }, ['/passkey']],
    [
      'a passkey without a response',
      { passkey: { id: 'x', rawId: 'x', type: 'public-key' } },
      ['/passkey/response'],
    ],
  ])('422 for %s', async (_what, given, pointers) => {
    const passkey =
      given['passkey'] === 'valid'
        ? new Authenticator().get(await requestOptions(api))
        : given['passkey']
    const body = { ...given, ...(passkey !== undefined && { passkey }) }
    const headers = { 'x-forwarded-for': freshAddress() }
    expect(refusalOf(await api.call('post', '/auth/session', { body, headers }))).toEqual(
      invalid(...pointers),
    )
  })

  test('429 after repeated failures from an address; another address can still sign in', async () => {
    const { authenticator } = await enrol()
    const ip = freshAddress()
    const fail = async () =>
      sendPasskey(api, authenticator.get(await requestOptions(api), { isUserVerified: false }), {
        'x-forwarded-for': ip,
      })
    for (let count = 0; count < 20; count++) expect((await fail()).status).toBe(401)
    expect(refusalOf(await fail())).toEqual({ status: 429, code: 'rate_limited' })
    expect((await signInByPasskey(api, authenticator)).status).toBe(201)
  })
})

describe('POST /auth/session with a copied passkey', () => {
  test.each([
    ['the same', 5],
    ['a lower', 4],
    ['no', 0],
  ])(
    '401 for %s counter, with a notice and a mail to the person, and no session',
    async (_what, count) => {
      const { ana, authenticator } = await enrol()
      expect((await signInByPasskey(api, authenticator, { count: 5 })).status).toBe(201)
      const response = await signInByPasskey(api, authenticator, { count }, { 'user-agent': 'odd' })
      expect(refusalOf(response)).toEqual(refused)
      expect(await lastAudit()).toMatchObject({
        action: 'session.refuse',
        details: { method: 'passkey', cause: 'copied' },
      })
      const [notice] = await noticesOf(ana.id)
      expect(notice).toMatchObject({
        type: 'security.changed',
        title: 'A copy of one of your passkeys was refused',
        text: expect.stringContaining('“Laptop”'),
        subject: { type: 'session', name: 'Unknown browser' },
        path: '/security',
      })
      expect(await api.database.prisma.noticeMail.count({ where: { noticeId: notice!.id } })).toBe(
        1,
      )
    },
  )

  test('if two copies sign in concurrently with the same counter, one is refused', async () => {
    const { authenticator } = await enrol()
    const [one, two] = [await requestOptions(api), await requestOptions(api)]
    const responses = await Promise.all([
      sendPasskey(api, authenticator.get(one, { count: 9 })),
      sendPasskey(other, authenticator.get(two, { count: 9 })),
    ])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 401])
  })

  test('an authenticator that never increments its counter can sign in repeatedly', async () => {
    const { authenticator } = await enrol({ counts: false })
    for (let count = 0; count < 2; count++) {
      expect((await signInByPasskey(api, authenticator)).status).toBe(201)
    }
  })
})
