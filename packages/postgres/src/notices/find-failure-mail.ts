import type { NoticeFacts } from '@hosting/core/notices'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import { factTypes, toFacts } from './notices.ts'

const { notNull, uuid } = types

/** A notice in an email that was sent. */
export interface SentNotice extends NoticeFacts {
  /** Of the email. */
  readonly digestId: string
}

/** Finds what told a person of the failure whose recovery a notice is about, if that was mailed. */
export async function findFailureMail(
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
