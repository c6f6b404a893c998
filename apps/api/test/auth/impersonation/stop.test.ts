import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSignedIn,
  sessionOf,
} from '../../../../../test/support/session.ts'
import { auditEntriesOf } from '../../support/audit.ts'
import { refusalOf } from '../../support/refusals.ts'

const api = useApi()
const path = '/auth/impersonation'

describe('DELETE /auth/impersonation', () => {
  test('200 returns the session to the impersonator with a new cookie; a repetition is 409 conflict', async () => {
    const tenant = await api.makeTenant()
    const admin = await makeSignedIn(api, tenant)
    const ben = await makePerson(api, tenant, { roles: ['customer'] })
    const started = sessionOf(
      await callWith(api, admin)('post', path, { body: { user_id: ben.id } }),
    )
    const response = await callWith(api, started)('delete', path)
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ user: { id: admin.id }, impersonator: null })
    const own = sessionOf(response)
    expect(own.id).toBe(admin.sessionId)
    expect((await callWith(api, started)('get', '/auth/me')).status).toBe(401)
    const call = callWith(api, own)
    expect((await call('get', '/auth/me')).body).toMatchObject({
      user: { id: admin.id },
      roles: ['admin'],
    })
    expect(refusalOf(await call('delete', path))).toEqual({ status: 409, code: 'conflict' })
    expect((await auditEntriesOf(api, tenant.id)).at(-1)).toMatchObject({
      action: 'impersonation.stop',
      actorId: ben.id,
      targetId: ben.id,
      details: { impersonated_by: { id: admin.id } },
    })
  })
})
