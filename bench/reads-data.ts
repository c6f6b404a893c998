import { createUuidv7 } from '@hosting/core/ids'
import {
  createSessionSecret,
  formatSessionToken,
  hashSessionSecret,
  sessionEnds,
} from '@hosting/core/sessions'
import type { Database } from '@hosting/postgres/database'
import { createSession } from '@hosting/postgres/sessions'
import { randomUUID } from 'node:crypto'
import type { BenchOwner } from './owner.ts'

const hourMs = 3_600_000

/** What the organization whose session floods has stored. */
export const sizes = { audit_entries: 1_000_000, revoked_keys: 200_000 }

/** A person of half of the entries, who never changed a key. */
export const idlePersonId = randomUUID()

/** Opens a session of the administrator, and returns the header `Cookie`. */
export async function openSession(
  { prisma }: Database,
  serverSecret: Buffer,
  { userId }: BenchOwner,
): Promise<string> {
  const token = createSessionSecret(createUuidv7())
  const now = new Date()
  await createSession(prisma, {
    id: token.id,
    userId,
    secretHash: hashSessionSecret(serverSecret, token),
    ip: '127.0.0.1',
    userAgent: 'bench',
    method: 'password',
    hasSecondFactor: false,
    now,
    confirmedAt: now,
    ...sessionEnds({ idleMs: hourMs, lifetimeMs: hourMs }, now),
  })
  return `session=${formatSessionToken(token)}`
}

/** Gives the organization a long audit log and many revoked keys, past the triggers. */
export async function fillReads(
  { pool }: Database,
  { tenantId, userId }: BenchOwner,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('SET session_replication_role = replica')
    await client.query(
      `INSERT INTO audit_events
         (id, tenant_id, occurred_at, action, outcome, actor_type, actor_id, actor_key_id, target_type)
       SELECT uuid_v7_floor(at), $1, at, CASE WHEN n % 2 = 0 THEN 'api_key.update' ELSE 'webhook.update' END, 'success',
         'user', CASE WHEN n % 2 = 0 THEN $3 ELSE $4 END, 'aaaaaaaaaaaa', 'webhook'
       FROM (SELECT n, now() - n * interval '1 second' AS at FROM generate_series(1, $2::int) AS n) AS times`,
      [tenantId, sizes.audit_entries, userId, idlePersonId],
    )
    await client.query(
      `INSERT INTO api_keys
         (id, tenant_id, user_id, kind, source, name, scopes, created_at, revoked_at)
       SELECT lpad(translate(n::text, '0189', 'abcd'), 12, 'z'), $1, $2, 'personal', 'api', 'Key ' || n, '{*}',
         now() - n * interval '1 second', now()
       FROM generate_series(1, $3::int) AS n`,
      [tenantId, userId, sizes.revoked_keys],
    )
    await client.query('VACUUM (ANALYZE) audit_events, api_keys')
  } finally {
    client.release(true)
  }
}
