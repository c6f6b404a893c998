import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../../../test/support/api.ts'
import { callWith, makePerson, sessionOf } from '../../../../../../test/support/session.ts'
import { freshAddress } from '../../../support/addresses.ts'
import {
  behindProxy,
  pass,
  poll,
  pollCode,
  requestPath,
  rowOf,
  signIn,
  startLogin,
} from '../../../support/device.ts'
import { invalid, refusalOf } from '../../../support/refusals.ts'

const api = useApi(behindProxy)
const conflict = { status: 409, code: 'conflict' }

describe('POST /auth/device/requests/{user_code}/approve', () => {
  test('200 shows the request as approved, and the audit log shows who granted which access', async () => {
    const ip = freshAddress()
    const login = await startLogin(api, { name: 'laptop', ip })
    const { approve, person, audit } = await signIn(api)
    const response = await approve({ user_code: login.user_code.toLowerCase() }, 'read_only')
    expect(response.status).toBe(200)
    expect(response.body.request).toMatchObject({ client_name: 'laptop', status: 'approved' })
    const row = await rowOf(api, login)
    expect(row).toMatchObject({
      status: 'approved',
      access: 'read_only',
      decidedById: person.id,
      decidedIp: '127.0.0.1',
    })
    expect((await audit()).at(-1)).toMatchObject({
      action: 'device.approve',
      outcome: 'success',
      actorType: 'user',
      actorId: person.id,
      targetType: 'device_request',
      targetId: row.id,
      ip: '127.0.0.1',
      requestId: response.headers['x-request-id'],
      details: { client_name: 'laptop', requested_from: ip, access: 'read_only' },
    })
  })

  test('409 conflict if anyone has decided the request, or it has expired', async () => {
    const [ana, ben] = [await signIn(api), await signIn(api)]
    const [decided, late] = [await startLogin(api), await startLogin(api)]
    await ana.approve(decided, 'read_only')
    for (const { approve, refuse } of [ana, ben]) {
      expect(refusalOf(await approve(decided, 'full'))).toEqual(conflict)
      expect(refusalOf(await refuse(decided))).toEqual(conflict)
    }
    expect(await rowOf(api, decided)).toMatchObject({ status: 'approved', access: 'read_only' })
    await pass(api, 600_000, late)
    const response = await ana.approve(late)
    expect(refusalOf(response)).toEqual(conflict)
    expect(response.body.detail).toContain('expired')
    await poll(api, decided)
    expect(refusalOf(await ana.approve(decided))).toEqual(conflict)
    expect((await ana.audit()).map(({ action }) => action)).toEqual([
      'device.approve',
      'api_key.create',
    ])
    expect(await ben.audit()).toEqual([])
  })

  test('one of several concurrent decisions succeeds, and the others return its result', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => signIn(api)))
    for (let round = 0; round < 3; round++) {
      const login = await startLogin(api)
      const responses = await Promise.all(
        people.flatMap(({ approve, refuse }) => [approve(login), refuse(login), approve(login)]),
      )
      const won = responses.filter(({ status }) => status === 200)
      expect(won).toHaveLength(1)
      const lost = responses.filter((response) => response !== won[0])
      for (const response of lost) expect(refusalOf(response)).toEqual(conflict)
      const { status } = await rowOf(api, login)
      expect(won[0]!.body.request.status).toBe(status)
      expect(await pollCode(api, login)).toBe(status === 'denied' ? 'access_denied' : undefined)
    }
    const decisions = (await Promise.all(people.map(({ audit }) => audit()))).flat()
    expect(decisions.filter(({ action }) => action.startsWith('device.'))).toHaveLength(3)
  })

  test('impersonation: approving is 409, denying is audited with both people, and wrong codes count for the impersonator', async () => {
    const login = await startLogin(api)
    const { tenant, person: admin, call, audit } = await signIn(api)
    const customer = await makePerson(api, tenant, { roles: ['customer'] })
    const started = await call('post', '/auth/impersonation', { body: { user_id: customer.id } })
    const acting = callWith(api, sessionOf(started))
    await acting('get', requestPath({ user_code: 'BBBB-BBBB' }))
    const path = `${requestPath(login)}/approve`
    expect(refusalOf(await acting('post', path, { body: { access: 'full' } }))).toEqual(conflict)
    const refused = await acting('post', `${requestPath(login)}/refuse`)
    expect(refused.status).toBe(200)
    expect((await audit()).at(-1)).toMatchObject({
      action: 'device.refuse',
      actorId: customer.id,
      details: { impersonated_by: { id: admin.id } },
    })
    expect(await pollCode(api, login)).toBe('access_denied')
    const wrong = await api.database.prisma.wrongUserCode.findMany({ select: { userId: true } })
    expect(wrong).toContainEqual({ userId: admin.id })
    expect(wrong).not.toContainEqual({ userId: customer.id })
  })

  test('403 reauthentication_required takes precedence if the last confirmation is over 5 minutes old', async () => {
    const login = await startLogin(api)
    const { approve, refuse } = await signIn(api, { confirmedMsAgo: 5 * 60_000 + 1_000 })
    const refusal = { status: 403, code: 'reauthentication_required' }
    expect(refusalOf(await approve(login))).toEqual(refusal)
    expect(refusalOf(await approve({ user_code: 'BBBB-BBBB' }, 'whatever'))).toEqual(refusal)
    expect((await rowOf(api, login)).status).toBe('pending')
    expect((await refuse(login)).status).toBe(200)
  })

  test('403 permission_denied for a role that may not create keys; the role may still deny', async () => {
    const login = await startLogin(api)
    const { approve, refuse } = await signIn(api, { roles: [] })
    expect(refusalOf(await approve(login))).toEqual({ status: 403, code: 'permission_denied' })
    expect((await rowOf(api, login)).status).toBe('pending')
    expect((await refuse(login)).status).toBe(200)
  })

  test('403 csrf_failed without the token or from another site', async () => {
    const login = await startLogin(api)
    const { call } = await signIn(api)
    for (const headers of [
      { 'x-csrf-token': '' },
      { 'x-csrf-token': 'A'.repeat(43) },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://elsewhere.example' },
    ]) {
      for (const verb of ['approve', 'refuse']) {
        const path = `${requestPath(login)}/${verb}`
        const response = await call('post', path, { body: { access: 'full' }, headers })
        expect(refusalOf(response)).toEqual({ status: 403, code: 'csrf_failed' })
      }
    }
    expect((await rowOf(api, login)).status).toBe('pending')
  })

  test.each([
    undefined,
    {},
    { access: 'write' },
    { access: ['full'] },
    { access: 'full', scopes: ['*'] },
  ])('422 for the body %j', async (body) => {
    const login = await startLogin(api)
    const { call } = await signIn(api)
    const headers = { 'content-type': 'application/json' }
    const response = await call('post', `${requestPath(login)}/approve`, { body, headers })
    const scopes = body && 'scopes' in body
    expect(refusalOf(response)).toEqual(invalid(body ? (scopes ? '/scopes' : '/access') : ''))
    expect((await rowOf(api, login)).status).toBe('pending')
  })

  test('an Idempotency-Key replays the response and refusals, counts a wrong code once and stores no code', async () => {
    const [login, other] = [await startLogin(api), await startLogin(api)]
    const { call, refuse, person } = await signIn(api)
    await refuse(other)
    const missing = { ...other, user_code: 'BBBB-BBBB' }
    const send = (of: typeof login, once: string) =>
      call('post', `${requestPath(of)}/approve`, {
        body: { access: 'full' },
        headers: { 'idempotency-key': once },
      })
    for (const [of, once, status] of [
      [login, 'a', 200],
      [other, 'b', 409],
      [missing, 'c', 404],
    ] as const) {
      const [first, again] = [await send(of, once), await send(of, once)]
      expect([first.status, again.status]).toEqual([status, status])
      expect(again.headers['idempotency-replayed']).toBe('true')
      expect(again.body).toEqual(first.body)
    }
    const { rows } = await api.database.pool.query<{ row: string }>(
      'SELECT r::text AS row FROM idempotency_records r WHERE caller = $1',
      [`user:${person.id}`],
    )
    expect(rows).toHaveLength(3)
    const dump = rows.map(({ row }) => row).join('\n')
    const wrong = { where: { userId: person.id } }
    expect(await api.database.prisma.wrongUserCode.count(wrong)).toBe(1)
    for (const { user_code } of [login, other, missing]) expect(dump).not.toContain(user_code)
  })
})
