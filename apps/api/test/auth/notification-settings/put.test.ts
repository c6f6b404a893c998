import { describe, beforeEach, expect, test } from '@jest/globals'
import { useApi, type TestTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  makeSignedIn,
  sessionOf,
} from '../../../../../test/support/session.ts'
import { auditEntriesOf } from '../../support/audit.ts'
import { mailsOf, writeNotice } from '../../support/notices.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'

const api = useApi()
const path = '/auth/notification-settings'
const on = { webhooks: true, api_keys: true, security: true }
let tenant: TestTenant
let ana: Awaited<ReturnType<typeof makeSignedIn>>

beforeEach(async () => {
  tenant = await api.makeTenant()
  ana = await makeSignedIn(api, tenant)
})

const put = (body: object) => callWith(api, ana)('put', path, { body })

describe('PUT /auth/notification-settings', () => {
  test("200 stores and returns the person's settings, and audits the change", async () => {
    const bea = await makeSignedIn(api, tenant)
    const email = { webhooks: false, api_keys: true, security: false }
    const { status, body } = await put({ email })
    expect([status, body]).toEqual([200, { email }])
    expect((await callWith(api, ana)('get', path)).body).toEqual({ email })
    expect((await callWith(api, bea)('get', path)).body).toEqual({ email: on })
    expect((await put({ email: on })).body).toEqual({ email: on })
    expect(await auditEntriesOf(api, tenant.id)).toMatchObject([
      {
        action: 'notification_settings.update',
        targetId: ana.userId,
        details: { before: { email: on }, after: { email } },
      },
      {
        action: 'notification_settings.update',
        details: { before: { email }, after: { email: on } },
      },
    ])
  })

  test('settings without a change add no audit entry', async () => {
    expect((await put({ email: on })).status).toBe(200)
    expect(await auditEntriesOf(api, tenant.id)).toEqual([])
  })

  test('pending mail whose setting is turned off is not sent, even if the setting is turned on again', async () => {
    await writeNotice(api, ana.userId, 'waiting')
    await put({ email: { ...on, api_keys: false } })
    expect(await mailsOf(api, ana.userId)).toEqual({ waiting: null })
    await put({ email: { ...on, webhooks: false } })
    expect(await mailsOf(api, ana.userId)).toEqual({ waiting: 'withdrawn' })
    await writeNotice(api, ana.userId, 'while off')
    await put({ email: on })
    await writeNotice(api, ana.userId, 'on again')
    expect(await mailsOf(api, ana.userId)).toEqual({ waiting: 'withdrawn', 'on again': null })
  })

  test('security mail about events before it was turned off is sent, even if the notices were read', async () => {
    await writeNotice(api, ana.userId, 'before', 'sign_in.new_device')
    expect((await put({ email: { ...on, security: false } })).status).toBe(200)
    expect((await callWith(api, ana)('post', '/notices/read')).status).toBe(204)
    await writeNotice(api, ana.userId, 'after', 'sign_in.new_device')
    const outcomes = await mailsOf(api, ana.userId)
    const [change, ...others] = Object.keys(outcomes).filter(
      (occurrence) => occurrence !== 'before',
    )
    expect([outcomes['before'], outcomes[change!], others]).toEqual([null, null, []])
    const { items } = (await callWith(api, ana)('get', '/notices')).body
    expect(items).toMatchObject([
      { type: 'sign_in.new_device' },
      {
        type: 'security.changed',
        title: 'Emails about the security of your account were turned off',
        subject: { type: 'session', id: ana.sessionId },
      },
      { type: 'sign_in.new_device' },
    ])
  })

  test('turning security mail off needs a confirmed session without impersonation; other settings need neither', async () => {
    const unconfirmed = await makeSession(api, ana.userId, { confirmedMsAgo: 301_000 })
    const putAs = (session: typeof unconfirmed, email: object) =>
      callWith(api, session)('put', path, { body: { email } })
    const off = { ...on, security: false }
    const refused = { status: 403, code: 'reauthentication_required' }
    expect(refusalOf(await putAs(unconfirmed, off))).toEqual(refused)
    expect((await callWith(api, ana)('get', path)).body).toEqual({ email: on })
    expect((await putAs(unconfirmed, { ...on, webhooks: false })).status).toBe(200)
    expect((await put({ email: off })).status).toBe(200)
    expect((await putAs(unconfirmed, off)).status).toBe(200)
    expect((await putAs(unconfirmed, on)).status).toBe(200)
    const ben = await makePerson(api, tenant, { roles: ['support'] })
    const started = await callWith(api, ana)('post', '/auth/impersonation', {
      body: { user_id: ben.id },
    })
    expect(refusalOf(await putAs(sessionOf(started), off))).toEqual({
      status: 409,
      code: 'conflict',
    })
  })

  test.each([
    [{ email: { webhooks: true, api_keys: true } }, '/email/security'],
    [{ email: { ...on, security: 'no' } }, '/email/security'],
    [{ email: { ...on, news: true } }, '/email/news'],
    [{}, '/email'],
  ] as const)('422 validation_failed for %j', async (body, pointer) => {
    expect(refusalOf(await put(body))).toEqual(invalid(pointer))
  })

  test('403 csrf_failed without the CSRF token', async () => {
    const options = { body: { email: on }, headers: { cookie: ana.cookie } }
    expect(refusalOf(await api.call('put', path, options))).toEqual({
      status: 403,
      code: 'csrf_failed',
    })
  })
})
