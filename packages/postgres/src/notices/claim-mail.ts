import type { NoticeFacts } from '@hosting/core/notices'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, execute, run } from '../database/statement.ts'
import { inTurn, late, wanted, type MailLease } from './notice-mails.ts'
import { factTypes, toFacts } from './notices.ts'

const { bool, float, notNull, text, time, uuid } = types

/** The notice of a mail. */
export interface MailedNotice extends NoticeFacts {
  readonly noticeId: string
  readonly createdAt: Date
}

/** A notice in an email that was sent. */
export interface SentNotice extends NoticeFacts {
  /** Of the email. */
  readonly digestId: string
}

/** An email that a worker may send, with the notices that it contains. */
export interface ClaimedMail extends MailLease {
  /** The same in each try of the email. */
  readonly digestId: string
  /** At least one, the first in turn first. */
  readonly notices: readonly [MailedNotice, ...MailedNotice[]]
  /** The notice of the failure, if the email is about the recovery alone and the failure was mailed before. */
  readonly answers?: SentNotice
  readonly email: string
  readonly tenantName: string
}

/** How a worker claims an email. */
export interface MailClaim {
  readonly leaseId: string
  readonly leaseMs: number
  /** After an email, further mails of the person wait this long, to be sent in one. 0: each mail is an email. */
  readonly digestMs: number
}

/** The most due mails that a claim examines. It finds none only if all of these are about to be ended or postponed. */
const claimableMax = 50
/** The most due mails that {@link postponeMails} examines. */
const postponedMax = 500

/**
 * Claims the next email: mails of category `security` come first, each alone, and organizations take turns. Other mails of
 * a person that are due are sent in one email. Until the lease ends, no other worker sends it. If the worker is killed, it
 * is due again at the end of the lease, with the same mails.
 */
export async function claimMail(
  database: Database,
  claim: MailClaim,
): Promise<ClaimedMail | undefined> {
  const rows = await run(database.pool, claimStatement, { ...claim })
  const notices = rows
    .toSorted((one, other) => Number(other.isFirst) - Number(one.isFirst))
    .map((row) => ({ ...toFacts(row), noticeId: row.id, createdAt: row.createdAt }))
  const [first, ...others] = notices
  const [row] = rows
  if (!first || !row) return undefined
  const answers =
    others.length === 0 && first.type === 'webhook.recovered'
      ? await findFailureMail(database, first.noticeId)
      : undefined
  return {
    leaseId: claim.leaseId,
    userId: row.userId,
    digestId: row.digestId,
    notices: [first, ...others],
    ...(answers && { answers }),
    email: row.email,
    tenantName: row.tenantName,
  }
}

/** Whether mails of the user of a mail `m` wait for their turn to be sent in one email. */
const paused = `(NOT m.is_security AND m.digest_id IS NULL
  AND EXISTS (SELECT FROM mail_pauses p WHERE p.user_id = m.user_id AND p.until > now()))`

const due = 'm.ended_at IS NULL AND m.due_at <= now()'

/**
 * Leases the mails of the next email. Of the mails of a person, only the first in turn is tried, so concurrent claims of one
 * person meet at its lock, which they skip. It also skips further mails that are locked, but not in a retry, which has the
 * same Message-ID and so must contain the same mails: it leases none while one of them is locked.
 */
const claimStatement = defineStatement({
  name: 'claim-mail',
  takes: { leaseId: uuid, leaseMs: float, digestMs: float },
  gives: {
    id: uuid,
    userId: uuid,
    digestId: notNull(uuid, 'set by the update'),
    isFirst: notNull(bool, 'a comparison of columns that are never null'),
    createdAt: time,
    email: notNull(text, 'part of the condition'),
    tenantName: text,
    ...factTypes,
  },
  sql: `
    WITH next AS MATERIALIZED (
      SELECT notice_id FROM notice_mails WHERE ended_at IS NULL AND due_at <= now()
      ORDER BY ${inTurn} LIMIT ${claimableMax}
    ), candidate AS MATERIALIZED (
      SELECT notice_id, row_number() OVER (
        PARTITION BY n.user_id, CASE WHEN m.is_security OR :digestMs = 0 THEN m.notice_id ELSE m.digest_id END
        ORDER BY ${inTurn}) AS rank
      FROM next JOIN notice_mails m USING (notice_id) JOIN notices n ON n.id = notice_id
        JOIN users u ON u.id = n.user_id
      WHERE ${due} AND NOT ${late} AND ${wanted} AND NOT (:digestMs > 0 AND ${paused})
    ), first AS MATERIALIZED (
      SELECT m.notice_id, n.user_id, m.is_security, m.digest_id, m.is_security OR :digestMs = 0 AS is_alone
      FROM candidate JOIN notice_mails m USING (notice_id) JOIN notices n ON n.id = notice_id
      WHERE rank = 1 AND ${due} ORDER BY ${inTurn} LIMIT 1 FOR UPDATE OF m SKIP LOCKED
    ), pause AS (
      INSERT INTO mail_pauses AS p (user_id, until)
      SELECT user_id, now() + :digestMs * interval '1 ms' FROM first WHERE NOT is_alone AND digest_id IS NULL
      ON CONFLICT (user_id) DO UPDATE SET until = excluded.until WHERE p.until <= now()
      RETURNING user_id
    ), other AS MATERIALIZED (
      SELECT m.notice_id
      FROM first JOIN notice_mails m ON m.user_id = first.user_id AND m.notice_id <> first.notice_id
        AND m.digest_id IS NOT DISTINCT FROM first.digest_id
        JOIN notices n ON n.id = m.notice_id JOIN users u ON u.id = n.user_id
      WHERE NOT first.is_alone AND NOT m.is_security AND ${due} AND NOT ${late} AND ${wanted}
      FOR UPDATE OF m SKIP LOCKED
    ), mail AS (
      SELECT notice_id FROM first UNION ALL SELECT notice_id FROM other
    ), locked AS (
      SELECT FROM first JOIN notice_mails m ON m.user_id = first.user_id AND m.digest_id = first.digest_id
        JOIN notices n ON n.id = m.notice_id JOIN users u ON u.id = n.user_id
      WHERE NOT first.is_alone AND NOT m.is_security AND ${due} AND NOT ${late} AND ${wanted}
        AND m.notice_id NOT IN (SELECT notice_id FROM mail)
    )
    UPDATE notice_mails m SET lease_id = :leaseId, due_at = now() + :leaseMs * interval '1 ms', tries = m.tries + 1,
      digest_id = coalesce(first.digest_id, first.notice_id)
    FROM mail, first, notices n, users u, tenants t
    WHERE m.notice_id = mail.notice_id AND n.id = m.notice_id AND u.id = n.user_id AND t.id = u.tenant_id
      AND (first.is_alone OR EXISTS (SELECT FROM pause)
        OR (first.digest_id IS NOT NULL AND NOT EXISTS (SELECT FROM locked)))
    RETURNING n.id, n.user_id, m.digest_id, n.id = first.notice_id AS is_first, n.created_at, u.email,
      t.name AS tenant_name, n.type, n.subject_type, n.subject_id, n.subject_name, n.details`,
})

/** Lets due mails of people who had an email a short time before wait, to be sent in one. */
export const postponeMails = ({ pool }: Database): Promise<number> =>
  execute(pool, postponeStatement, {})

/** Moves the due time of mails to the end of their person's pause. Skips mails that another transaction has locked. */
const postponeStatement = defineStatement({
  name: 'postpone-mails',
  takes: {},
  gives: {},
  sql: `
    WITH due AS MATERIALIZED (
      SELECT notice_id FROM notice_mails m WHERE ${due} ORDER BY ${inTurn} LIMIT ${postponedMax}
      FOR UPDATE SKIP LOCKED
    )
    UPDATE notice_mails m SET due_at = p.until
    FROM due, mail_pauses p
    WHERE m.notice_id = due.notice_id AND p.user_id = m.user_id AND p.until > now()
      AND NOT m.is_security AND m.digest_id IS NULL`,
})

/** Finds what told a person of the failure whose recovery a notice is about, if that was mailed. */
async function findFailureMail(
  { pool }: Database,
  noticeId: string,
): Promise<SentNotice | undefined> {
  const [row] = await run(pool, failureStatement, { noticeId })
  return row && { ...toFacts(row), digestId: row.digestId }
}

/** Returns the notice of the failure of the same incident. Locks nothing. */
const failureStatement = defineStatement({
  name: 'find-failure-mail',
  takes: { noticeId: uuid },
  gives: { digestId: notNull(uuid, 'of an email that was sent'), ...factTypes },
  sql: `
    SELECT m.digest_id, failure.type, failure.subject_type, failure.subject_id, failure.subject_name, failure.details
    FROM notices recovery JOIN notices failure ON failure.user_id = recovery.user_id
      AND failure.type = 'webhook.failing' AND failure.occurrence = recovery.occurrence
      JOIN notice_mails m ON m.notice_id = failure.id
    WHERE recovery.id = :noticeId AND recovery.type = 'webhook.recovered' AND m.outcome = 'sent'`,
})

/** Deletes the pauses of people that are over. Returns their number. */
export const dropEndedPauses = defineDeletion({
  name: 'delete-ended-mail-pauses',
  table: 'mail_pauses',
  where: 'until <= now()',
})
