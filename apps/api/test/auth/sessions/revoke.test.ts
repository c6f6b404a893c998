import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import { callWith, makeSession, makeSignedIn } from '../../../../../test/support/session.ts'
import { auditEntriesOf } from '../../support/audit.ts'
import { notFound, refusalOf } from '../../support/refusals.ts'

const api = useApi()
const other = useApi()
const tenant = useTenant(api)

describe('DELETE /auth/sessions/{id}', () => {
  test('204 ends another session of the person: every process refuses its next request', async () => {
    const ana = await makeSignedIn(api, tenant)
    const lost = await makeSession(api, ana.id)
    expect((await callWith(other, lost)('get', '/auth/me')).status).toBe(200)
    const response = await callWith(api, ana)('delete', `/auth/sessions/${lost.id.toUpperCase()}`)
    expect(response.status).toBe(204)
    const refusal = { status: 401, code: 'authentication_required' }
    expect(refusalOf(await callWith(other, lost)('get', '/auth/me'))).toEqual(refusal)
    expect((await callWith(api, ana)('get', '/auth/me')).status).toBe(200)
    expect((await auditEntriesOf(api, tenant.id)).at(-1)).toMatchObject({
      action: 'session.revoke',
      actorId: ana.id,
      targetId: lost.id,
    })
  })

  test("404 for a missing or ended session and for another person's session, which stays valid", async () => {
    const [ana, ben] = [await makeSignedIn(api, tenant), await makeSignedIn(api, tenant)]
    const ended = await makeSession(api, ana.id)
    const call = callWith(api, ana)
    expect((await call('delete', `/auth/sessions/${ended.id}`)).status).toBe(204)
    for (const id of [randomUUID(), 'nonsense', ended.id, ben.sessionId]) {
      expect(refusalOf(await call('delete', `/auth/sessions/${id}`))).toEqual(notFound)
    }
    expect((await callWith(api, ben)('get', '/auth/me')).status).toBe(200)
  })

  test('revoking the current session signs the person out', async () => {
    const ana = await makeSignedIn(api, tenant)
    const call = callWith(api, ana)
    expect((await call('delete', `/auth/sessions/${ana.sessionId}`)).status).toBe(204)
    expect((await call('get', '/auth/me')).status).toBe(401)
  })
})
