import { expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { makeSignedIn } from '../support/session.ts'
import { headingOf, visitorOf } from './visitor.ts'

const api = useApi()

/** A session that was last used some time ago. */
async function enterIdle() {
  const session = await makeSignedIn(api, await api.makeTenant())
  const { rows } = await api.database.pool.query<{ idle_expires_at: Date }>(
    `UPDATE panel_sessions SET last_seen_at = last_seen_at - interval '10 minutes',
       idle_expires_at = idle_expires_at - interval '10 minutes'
     WHERE id = $1 RETURNING idle_expires_at`,
    [session.sessionId],
  )
  const readEnd = async (): Promise<Date> => {
    const where = { id: session.sessionId }
    return (await api.database.prisma.panelSession.findUniqueOrThrow({ where })).idleExpiresAt
  }
  return { visitor: visitorOf(api, session), before: rows[0]!.idle_expires_at, readEnd }
}

test('live updates do not extend a session, but opening a page does', async () => {
  const { visitor, before, readEnd } = await enterIdle()
  for (const path of ['/deliveries', '/deliveries', '/']) {
    const update = await visitor.get(path, { 'live-update': '1' })
    expect(update.status).toBe(200)
  }
  expect(await readEnd()).toEqual(before)
  expect(headingOf(await visitor.get('/deliveries'))).toBe('Deliveries')
  expect((await readEnd()).getTime()).toBeGreaterThan(before.getTime())
})
