import { describe, expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import { callWith, makeSession, makeSignedIn } from '../../../../../test/support/session.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'

const api = useApi()
const tenant = useTenant(api)

describe('GET /auth/sessions', () => {
  test("200 lists the person's valid sessions, newest first, and marks the current one", async () => {
    await makeSignedIn(api, tenant)
    const first = await makeSignedIn(api, tenant)
    const second = await makeSession(api, first.id)
    const ended = await makeSession(api, first.id)
    const idle = await makeSession(api, first.id)
    const { prisma } = api.database
    const past = new Date(Date.now() - 1)
    await prisma.panelSession.update({ where: { id: ended.id }, data: { revokedAt: past } })
    await prisma.panelSession.update({ where: { id: idle.id }, data: { idleExpiresAt: past } })
    const call = callWith(api, first)
    const { status, body } = await call('get', '/auth/sessions')
    expect(status).toBe(200)
    expect(body.items).toMatchObject([
      { id: second.id, current: false, ip: '127.0.0.1', user_agent: 'test' },
      { id: first.sessionId, current: true },
    ])
    expect(JSON.stringify(body)).not.toContain(second.cookie.split('.')[1])
    const page = await call('get', '/auth/sessions?limit=1')
    expect(page.body.items).toEqual([body.items[0]])
    const rest = await call('get', `/auth/sessions?cursor=${page.body.next_cursor}`)
    expect(rest.body).toEqual({ items: [body.items[1]], next_cursor: null })
  })

  test('422 validation_failed for a bad cursor or limit', async () => {
    const call = callWith(api, await makeSignedIn(api, tenant))
    expect(refusalOf(await call('get', '/auth/sessions?cursor=x'))).toEqual(invalid('/cursor'))
    expect(refusalOf(await call('get', '/auth/sessions?limit=101'))).toEqual(invalid('/limit'))
  })
})
