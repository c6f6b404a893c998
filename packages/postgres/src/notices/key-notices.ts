import { expiryNoticeDays } from '@hosting/core/notices'
import { dayMs, isStillValid } from '@hosting/core/clock'
import { types } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { defineStatement, run, runIn } from '../database/statement.ts'
import { writeNotice, type NewNotice } from './write-notice.ts'

const { bool, int, keyId, notNull, nullable, smallint, text, time } = types

interface NoticedKey {
  readonly id: string
  readonly tenantId: string
  readonly userId: string
  readonly kind: 'personal' | 'organization'
}

/** Who gets the notices of a key: its owner, or for an organization's key the admins. */
const peopleOf = ({ kind, userId, tenantId }: NoticedKey): NewNotice['to'] =>
  kind === 'personal' ? { people: [userId] } : { adminsOf: tenantId }

const subjectOf = ({ id, name }: { id: string; name: string }) =>
  ({ type: 'api_key', id, name }) as const

/** A key that was just stored. */
interface CreatedKey extends NoticedKey {
  readonly name: string
  readonly source: 'panel' | 'api' | 'device' | 'workload'
  readonly createdById: string | null
  readonly createdBy: { readonly name: string } | null
  readonly parentKeyId: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
}

/**
 * Writes the notice of a new key, and plans that of its expiry. The person who created it in a session gets no notice.
 */
export async function writeNewKeyNotice(tx: Transaction, key: CreatedKey): Promise<void> {
  const isOfSession = ['panel', 'workload'].includes(key.source) && key.parentKeyId === null
  await writeNotice(tx, {
    type: 'api_key.created',
    occurrence: key.id,
    subject: subjectOf(key),
    details: { kind: key.kind, source: key.source, created_by: key.createdBy?.name ?? null },
    to: peopleOf(key),
    doer: isOfSession ? key.createdById : null,
  })
  await planExpiryNotice(tx, key)
}

/** Plans the first expiry notice of a key: the earliest that its life is long enough for. */
async function planExpiryNotice(
  tx: Transaction,
  { id, createdAt, expiresAt }: Pick<CreatedKey, 'id' | 'createdAt' | 'expiresAt'>,
): Promise<void> {
  if (!expiresAt) return
  const days = expiryNoticeDays.find(
    (before) => expiresAt.getTime() - createdAt.getTime() >= before * dayMs,
  )
  if (days === undefined) return
  const dueAt = new Date(expiresAt.getTime() - days * dayMs)
  await tx.keyExpiryNotice.create({ data: { keyId: id, days, dueAt } })
}

/**
 * Writes the expiry notices of keys that are due with their events, and plans the next ones. A notice is skipped if the
 * time of the next one, or the key's end, has passed. Any number of processes may call it.
 *
 * @returns the number of keys that it processed, at most `keysMax`.
 */
export async function writeExpiryNotices(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  keysMax: number,
): Promise<number> {
  const [row] = await run(pool, workStatement, {})
  if (!row!.hasDue) return 0
  return prisma.$transaction(async (tx) => {
    const due = await runIn(tx, dueStatement, { keysMax })
    for (const notice of due) await writeExpiryNotice(tx, notice)
    return due.length
  })
}

/** Returns whether there is something to do, because a worker at rest keeps Prisma out of its memory. Locks nothing. */
const workStatement = defineStatement({
  name: 'find-expiries-to-notify-of',
  takes: {},
  gives: { hasDue: notNull(bool, 'EXISTS') },
  sql: 'SELECT EXISTS (SELECT FROM key_expiry_notices WHERE due_at <= now()) AS has_due',
})

/** Locks the expiry notices that are due. */
const dueStatement = defineStatement({
  name: 'lock-due-expiry-notices',
  takes: { keysMax: int },
  gives: { id: keyId, days: smallint, now: notNull(time, 'now()') },
  sql: `
    SELECT key_id AS id, days, now() AS now FROM key_expiry_notices WHERE due_at <= now()
    ORDER BY due_at LIMIT :keysMax FOR UPDATE SKIP LOCKED`,
})

async function writeExpiryNotice(
  tx: Transaction,
  { id, days, now }: { id: string; days: number; now: Date },
): Promise<void> {
  const key = await tx.apiKey.findUniqueOrThrow({ where: { id } })
  const expiresAt = key.expiresAt!
  const nextDays = expiryNoticeDays.find((before) => before < days)
  const nextAt = new Date(expiresAt.getTime() - (nextDays ?? 0) * dayMs)
  if (key.revokedAt === null && isStillValid(nextAt, now)) {
    await writeNotice(tx, {
      type: 'api_key.expiring',
      occurrence: `${id} ${days} ${expiresAt.toISOString()}`,
      subject: subjectOf(key),
      details: { kind: key.kind, days, expires_at: expiresAt.toISOString() },
      to: peopleOf(key),
    })
    await runIn(tx, publishStatement, { keyId: id, eventType: 'api_key.expiring' })
  }
  const where = { keyId: id }
  if (nextDays === undefined || key.revokedAt !== null || !isStillValid(expiresAt, now))
    await tx.keyExpiryNotice.delete({ where })
  else await tx.keyExpiryNotice.update({ where, data: { days: nextDays, dueAt: nextAt } })
}

/** Publishes an event about a key, in the transaction. */
const publishStatement = defineStatement({
  name: 'publish-key-event',
  takes: { keyId, eventType: text },
  gives: { published: nullable(text) },
  sql: `SELECT publish_key_event(:eventType, k)::text AS published FROM api_keys k WHERE k.id = :keyId`,
})
