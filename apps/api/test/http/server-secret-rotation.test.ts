import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { serverSecret } from '../../../../test/support/environment.ts'
import { callWith, makePerson, sessionOf } from '../../../../test/support/session.ts'
import { freshAddress } from '../support/addresses.ts'
import { requestPath, startLogin } from '../support/device.ts'
import { behindProxy, setUpTotp, signInFrom, stretchDelays } from '../support/sign-in.ts'

const oldVersion = `2025:${serverSecret.toString('base64')}`
const newVersion = `2026:${Buffer.alloc(48, 5).toString('base64')}`

// One process for each step of the rotation that docs/operations.md describes.
const before = useApi(behindProxy)
const told = useApi({ ...behindProxy, SERVER_SECRET: `${oldVersion},${newVersion}` })
const after = useApi({ ...behindProxy, SERVER_SECRET: `${newVersion},${oldVersion}` })
const ended = useApi({ ...behindProxy, SERVER_SECRET: newVersion })

const password = 'correct horse battery'
const cookies = ({ headers }: Response): string[] =>
  (headers['set-cookie'] as unknown as string[]).map((cookie) => cookie.split(';')[0]!)

let tenant: TestTenant

beforeAll(async () => {
  tenant = await before.makeTenant()
})

describe('after a new version of the server secret became the first', () => {
  test('keys of the old version work until it is removed', async () => {
    const { token } = await tenant.makeKey()
    const statuses = []
    for (const api of [before, told, after, ended]) {
      statuses.push((await api.call('get', '/auth/me', { token })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 401])
  })

  test('a token of the old version revokes its key', async () => {
    const { token } = await tenant.makeKey()
    const response = await after.call('post', '/auth/revoke', {
      body: { token },
      headers: { 'x-forwarded-for': freshAddress() },
    })
    expect(response.status).toBe(204)
    expect((await before.call('get', '/auth/me', { token })).status).toBe(401)
  })

  test('keys that they create work on every process that has the new version', async () => {
    const { token } = await tenant.makeKey()
    const body = { name: 'New', scopes: ['*'] }
    const made = await after.call('post', '/api-keys', { token, body })
    const rotated = await after.call('post', `/api-keys/${made.body.key.id as string}/rotate`, {
      token,
      body: { grace_seconds: 60 },
    })
    for (const shown of [made.body.token, rotated.body.token] as string[]) {
      for (const api of [told, after, ended]) {
        expect((await api.call('get', '/auth/me', { token: shown })).status).toBe(200)
      }
    }
  })

  test("a rotated key's old secret of the old version stays valid for the overlap period", async () => {
    const { id, token } = await tenant.makeKey()
    const body = { grace_seconds: 60 }
    const rotated = await after.call('post', `/api-keys/${id}/rotate`, { token, body })
    for (const shown of [token, rotated.body.token as string]) {
      expect((await after.call('get', '/auth/me', { token: shown })).status).toBe(200)
    }
  })

  test('sessions and their CSRF tokens stay valid, and are re-signed with the new version', async () => {
    const { email } = await makePerson(before, tenant, { password })
    const session = sessionOf(await signInFrom(before, freshAddress(), { email, password }))
    const shown = await callWith(after, session)('get', '/auth/session')
    expect(shown.body.csrf_token).toBe(session.csrfToken)
    const confirmed = await callWith(after, session)('post', '/auth/session/confirm', {
      body: { password },
    })
    expect(confirmed.status).toBe(200)
    const renewed = sessionOf(confirmed)
    expect((await callWith(ended, renewed)('get', '/auth/session')).status).toBe(200)
    expect((await callWith(told, renewed)('delete', '/auth/session')).status).toBe(204)
  })

  test("a sign-in ends the browser's session of the old version", async () => {
    const { email } = await makePerson(before, tenant, { password })
    const former = await signInFrom(before, freshAddress(), { email, password })
    const cookie = cookies(former)[0]!
    const signedIn = await signInFrom(after, freshAddress(), { email, password }, { cookie })
    expect(signedIn.status).toBe(201)
    expect((await callWith(before, sessionOf(former))('get', '/auth/me')).status).toBe(401)
  })

  test('device cookies of the old version are recognized', async () => {
    const { email } = await makePerson(before, tenant, { password })
    const device = cookies(await signInFrom(before, freshAddress(), { email, password }))[1]!
    for (let time = 0; time < 5; time++) {
      await signInFrom(after, freshAddress(), { email, password: 'wrong' })
    }
    await stretchDelays(after)
    const send = (cookie: string) =>
      signInFrom(after, freshAddress(), { email, password }, { cookie })
    expect((await send('')).status).toBe(429)
    expect((await send(device)).status).toBe(201)
  })

  test('recovery codes of the old version work once', async () => {
    const { email } = await makePerson(before, tenant, { password })
    const session = sessionOf(await signInFrom(before, freshAddress(), { email, password }))
    const { recoveryCodes } = await setUpTotp(before, session)
    const send = () =>
      signInFrom(after, freshAddress(), { email, password, totp_code: recoveryCodes[0]! })
    expect((await send()).status).toBe(201)
    expect((await send()).status).toBe(401)
  })

  test('user codes of both versions work', async () => {
    const { email } = await makePerson(before, tenant, { password })
    const session = sessionOf(await signInFrom(before, freshAddress(), { email, password }))
    for (const api of [before, after]) {
      const login = await startLogin(api)
      const shown = await callWith(told, session)('get', requestPath(login))
      expect(shown.status).toBe(200)
    }
  })

  test('an Idempotency-Key of the old version is replayed, and another request with it is refused', async () => {
    const { token } = await tenant.makeKey()
    const send = (api: typeof before, name: string) =>
      api.call('post', '/api-keys', {
        token,
        body: { name, scopes: ['*'] },
        headers: { 'idempotency-key': 'rotation' },
      })
    expect((await send(before, 'Once')).status).toBe(201)
    expect((await send(after, 'Once')).headers['idempotency-replayed']).toBe('true')
    expect((await send(after, 'Twice')).body.code).toBe('idempotency_key_reused')
  })
})
