import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../../test/support/session.ts'
import { actionsOf } from '../../support/audit.ts'

const api = useApi()

describe('DELETE /auth/session', () => {
  test('204 ends the session in the database and deletes the cookie', async () => {
    const tenant = await api.makeTenant()
    const ana = await makeSignedIn(api, tenant)
    const call = callWith(api, ana)
    const response = await call('delete', '/auth/session')
    expect(response.status).toBe(204)
    expect(response.headers['set-cookie']).toEqual([
      'session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    ])
    expect(response.headers['cache-control']).toBe('no-store')
    expect((await call('get', '/auth/session')).status).toBe(401)
    expect((await call('delete', '/auth/session')).status).toBe(401)
    const row = await api.database.prisma.panelSession.findUniqueOrThrow({
      where: { id: ana.sessionId },
    })
    expect(row.revokedAt).not.toBeNull()
    expect(await actionsOf(api, tenant.id)).toEqual(['session.revoke'])
  })

  test('an Idempotency-Key is ignored, whatever its value', async () => {
    const ana = await makeSignedIn(api, await api.makeTenant())
    const { status } = await callWith(api, ana)('delete', '/auth/session', {
      headers: { 'idempotency-key': 'clé' },
    })
    expect(status).toBe(204)
    const caller = { startsWith: `user:${ana.userId}` }
    expect(await api.database.prisma.idempotencyRecord.count({ where: { caller } })).toBe(0)
  })
})
