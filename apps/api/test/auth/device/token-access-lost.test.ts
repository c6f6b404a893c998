import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../../test/support/api.ts'
import { callWith, makeSession } from '../../../../../test/support/session.ts'
import { behindProxy, poll, pollCode, rowOf, signIn, startLogin } from '../../support/device.ts'
import { putPerson } from '../../support/keys.ts'
import { refusalOf } from '../../support/refusals.ts'
import { until } from '../../support/until.ts'

const api = useApi(behindProxy)

describe('POST /auth/device/token: after the approver lost access', () => {
  type Approver = Awaited<ReturnType<typeof signIn>>
  const put = ({ tenant, person }: Approver, change: object) =>
    putPerson(api, tenant, person.id, change)

  test.each<[what: string, change: (approver: Approver) => Promise<unknown>]>([
    ['deactivated', (approver) => put(approver, { status: 'deactivated' })],
    ['deleted', ({ person }) => api.callInternal('delete', `/users/${person.id}`)],
    ['without a role', (approver) => put(approver, { roles: [] })],
    ['with a new password', (approver) => put(approver, { password: 'a new password 1' })],
    [
      'of a deleted organization',
      ({ tenant }) => api.callInternal('delete', `/tenants/${tenant.id}`),
    ],
  ])('400 access_denied, for good, and no key: %s', async (_what, change) => {
    const approver = await signIn(api)
    const login = await startLogin(api)
    await approver.approve(login)
    await change(approver)
    const denied = await poll(api, login)
    expect(refusalOf(denied)).toEqual({ status: 400, code: 'access_denied' })
    expect(denied.body.error).toBe('access_denied')
    expect((await approver.audit()).at(-1)).toMatchObject({
      action: 'device.refuse',
      outcome: 'refused',
      reason: 'access_denied',
      actorType: 'system',
      targetId: (await rowOf(api, login)).id,
    })
    await put(approver, {}).catch(() => undefined)
    const codes = await Promise.all(Array.from({ length: 3 }, () => pollCode(api, login)))
    expect(codes).toEqual(Array(3).fill('access_denied'))
    expect(await approver.countKeys()).toBe(0)
  })

  test.each<[what: string, change: (approver: Approver) => Promise<unknown>]>([
    ['signed out', ({ call }) => call('delete', '/auth/session')],
    [
      'had the session ended from another one',
      async ({ person }) =>
        callWith(api, await makeSession(api, person.id))(
          'delete',
          `/auth/sessions/${person.sessionId}`,
        ),
    ],
    [
      'was deactivated and activated again',
      async (approver) => {
        await put(approver, { status: 'deactivated' })
        await put(approver, { status: 'active' })
      },
    ],
  ])('400 access_denied and no key once the approver %s', async (_what, change) => {
    const approver = await signIn(api)
    const login = await startLogin(api)
    expect((await approver.approve(login)).status).toBe(200)
    await change(approver)
    expect(await pollCode(api, login)).toBe('access_denied')
    expect(await approver.countKeys()).toBe(0)
  })

  test('a concurrent sign-out and poll run one after the other', async () => {
    const approver = await signIn(api)
    const login = await startLogin(api)
    await approver.approve(login)
    const [polled, signedOut] = await Promise.all([
      poll(api, login),
      approver.call('delete', '/auth/session'),
    ])
    expect(signedOut.status).toBe(204)
    expect(await approver.countKeys()).toBe(polled.status === 200 ? 1 : 0)
    expect(['access_denied', undefined]).toContain(polled.body.code)
  })

  test('a poll waits for a concurrent change of the approver', async () => {
    const approver = await signIn(api)
    const login = await startLogin(api)
    await approver.approve(login)
    const { pool } = api.database
    const change = await pool.connect()
    try {
      await change.query('BEGIN')
      await change.query(`UPDATE users SET status = 'deactivated' WHERE id = $1`, [
        approver.person.id,
      ])
      const polled = pollCode(api, login)
      await until('the poll waits', async () => {
        const { rowCount } = await pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
             AND wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%'`,
        )
        return rowCount === 1
      })
      await change.query('COMMIT')
      expect(await polled).toBe('access_denied')
    } finally {
      change.release()
    }
    expect(await approver.countKeys()).toBe(0)
  })

  test('a change to another role that may create keys has no effect', async () => {
    const approver = await signIn(api)
    const login = await startLogin(api)
    await approver.approve(login)
    await put(approver, { roles: ['customer'] })
    expect((await poll(api, login)).status).toBe(200)
  })
})
