import { mailTriesMs, noticeTypes, type NoticeCategory } from '@hosting/core/notices'
import { types } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { defineStatement, execute, run } from '../database/statement.ts'
import { wantsMail } from './write-notice.ts'

const { bool, float, named, notNull, text, uuid } = types

/** How a mail ended: sent, refused by the mail server, tried for too long, or no longer wanted. */
export type MailOutcome = 'sent' | 'refused' | 'expired' | 'withdrawn'

/** The right of a worker to send an email. */
export interface MailLease {
  readonly userId: string
  readonly leaseId: string
}

/** The category of a type of notices, as an expression over one. */
const categoryOf = (type: string): string => {
  const cases = Object.entries(noticeTypes).map(
    ([name, { category }]) => `WHEN '${name}' THEN '${category}'`,
  )
  return `CASE ${type} ${cases.join(' ')} END`
}

/**
 * Whether the mail `m` of a notice `n` to the user `u` may still be sent: the person is active and wants it. A mail of
 * category `security` was wanted when it was written, and whoever turns it off cannot withdraw it.
 */
export const wanted = `(u.status = 'active' AND u.deleted_at IS NULL AND u.email IS NOT NULL
  AND EXISTS (SELECT FROM tenants t WHERE t.id = u.tenant_id AND t.deleted_at IS NULL)
  AND (m.is_security OR ${wantsMail('u.id', categoryOf('n.type'))}))`

/** Whether the tries for a notice `n` are over. */
export const late = `(n.created_at <= now() - ${mailTriesMs} * interval '1 ms')`

/** The order of the waiting mails (apps/worker/notices.md#mail-in-turns). */
export const inTurn = 'is_security DESC, turn_at, notice_id'

/** The most due mails that {@link endUnsentMails} examines. */
const examinedMax = 500

/** Ends the due mails that are not sent: tried for too long, or no longer wanted. Returns their number by outcome. */
export async function endUnsentMails({
  pool,
}: Database): Promise<Readonly<Record<'expired' | 'withdrawn', number>>> {
  const rows = await run(pool, endStatement, {})
  const count = (outcome: string) => rows.filter((row) => row.outcome === outcome).length
  return { expired: count('expired'), withdrawn: count('withdrawn') }
}

/** Ends due mails that are not sent, and gives a row for each. Skips mails that another transaction has locked. */
const endStatement = defineStatement({
  name: 'end-unsent-mails',
  takes: {},
  gives: { outcome: notNull(named<'expired' | 'withdrawn'>('text'), 'set by the update') },
  sql: `
    WITH due AS MATERIALIZED (
      SELECT notice_id FROM notice_mails WHERE ended_at IS NULL AND due_at <= now()
      ORDER BY ${inTurn} LIMIT ${examinedMax} FOR UPDATE SKIP LOCKED
    ), unsent AS (
      SELECT n.id, ${wanted} AS is_wanted
      FROM due JOIN notice_mails m USING (notice_id) JOIN notices n ON n.id = notice_id JOIN users u ON u.id = n.user_id
      WHERE ${late} OR NOT ${wanted}
    )
    UPDATE notice_mails m SET ended_at = now(), lease_id = NULL,
      outcome = CASE WHEN unsent.is_wanted THEN 'expired' ELSE 'withdrawn' END
    FROM unsent WHERE m.notice_id = unsent.id RETURNING m.outcome`,
})

/** Records that an email was sent or refused. Without effect if the lease was lost or the mails withdrawn. */
export async function endMail(
  { pool }: Database,
  { userId, leaseId }: MailLease,
  outcome: 'sent' | 'refused',
): Promise<void> {
  await execute(pool, recordStatement, { userId, leaseId, outcome })
}

/** Ends the mails of an email that the caller has leased. */
const recordStatement = defineStatement({
  name: 'end-mail',
  takes: { userId: uuid, leaseId: uuid, outcome: text },
  gives: {},
  sql: `
    UPDATE notice_mails SET ended_at = now(), outcome = :outcome, lease_id = NULL
    WHERE user_id = :userId AND lease_id = :leaseId AND ended_at IS NULL`,
})

/** The delay before a mail is tried again doubles with each try, within these limits. */
const delayMsMin = 30_000
const delayMsMax = 15 * 60_000

/**
 * Releases an email that could not be sent now.
 *
 * @param soon - it is due again immediately, and the try does not count.
 */
export async function releaseMail(
  { pool }: Database,
  { userId, leaseId }: MailLease,
  { soon }: { soon: boolean },
): Promise<void> {
  await execute(pool, releaseStatement, { userId, leaseId, soon, delayMsMin, delayMsMax })
}

/** Releases the mails of a leased email, to be sent again after a delay that grows with the tries, or soon. */
const releaseStatement = defineStatement({
  name: 'release-mail',
  takes: { userId: uuid, leaseId: uuid, soon: bool, delayMsMin: float, delayMsMax: float },
  gives: {},
  sql: `
    UPDATE notice_mails SET lease_id = NULL, tries = CASE WHEN :soon THEN tries - 1 ELSE tries END,
      due_at = now() + interval '1 ms' *
        CASE WHEN :soon THEN 0 ELSE least(:delayMsMin * 2.0 ^ least(tries - 1, 20), :delayMsMax) END
    WHERE user_id = :userId AND lease_id = :leaseId AND ended_at IS NULL`,
})

/** Ends the waiting mails of a person in these categories, except those of category `security`. */
export async function withdrawMails(
  tx: Transaction,
  userId: string,
  categories: readonly NoticeCategory[],
): Promise<void> {
  const withdrawn = Object.entries(noticeTypes)
    .filter(([, { category }]) => categories.includes(category))
    .map(([type]) => type)
  if (withdrawn.length === 0) return
  await tx.$executeRaw`
    UPDATE notice_mails m SET ended_at = now(), outcome = 'withdrawn', lease_id = NULL
    FROM notices n
    WHERE n.id = m.notice_id AND n.user_id = ${userId}::uuid AND m.ended_at IS NULL AND NOT m.is_security
      AND n.type = ANY (${withdrawn}::text[])`
}
