import {
  mailTurnSeconds,
  noticeTypes,
  type NoticeCategory,
  type NoticeDetail,
  type NoticeSubjectType,
  type NoticeType,
} from '@hosting/core/notices'
import { types } from '../database/column-types.ts'
import type { Transaction } from '../database/database.ts'
import { defineStatement, executeIn } from '../database/statement.ts'

const { jsonText, listOf, named, nullable, text, uuid } = types

/** Something that people are told about. */
export interface NewNotice {
  readonly type: NoticeType
  /** Names what happened: a person gets one notice of a type for it. */
  readonly occurrence: string
  readonly subject: {
    readonly type: NoticeSubjectType
    readonly id: string
    readonly name: string
  }
  readonly details: Readonly<Record<string, NoticeDetail>>
  /** The organization, whose admins get it, or the people themselves. */
  readonly to: { readonly adminsOf: string } | { readonly people: readonly string[] }
  /** Who caused it in the panel, and gets no notice. */
  readonly doer?: string | null
}

/**
 * Writes a notice to each of the people who may sign in, with its email if the person wants one. A person who has the
 * notice already gets no other one (docs/specification/notices.md).
 */
export async function writeNotice(
  tx: Transaction,
  { type, occurrence, subject, details, to, doer = null }: NewNotice,
): Promise<void> {
  await executeIn(tx, writeStatement, {
    type,
    occurrence,
    subjectType: subject.type,
    subjectId: subject.id,
    subjectName: subject.name,
    details: JSON.stringify(details),
    people: 'people' in to ? to.people : null,
    tenantId: 'people' in to ? null : to.adminsOf,
    doer,
    category: noticeTypes[type].category,
  })
}

/** Whether a person wants mail for notices of a category, as a condition. Both are expressions. */
export const wantsMail = (userId: string, category: string): string => `
  coalesce((
    SELECT CASE ${category} WHEN 'webhooks' THEN email_webhooks WHEN 'api_keys' THEN email_api_keys ELSE email_security END
    FROM notification_settings WHERE user_id = ${userId}
  ), true)`

/** Adds the notices and their mails. Concurrent writers of an occurrence wait for each other in the order of the people. */
const writeStatement = defineStatement({
  name: 'write-notice',
  takes: {
    type: text,
    occurrence: text,
    subjectType: text,
    subjectId: text,
    subjectName: text,
    details: jsonText,
    people: nullable(listOf(uuid)),
    tenantId: nullable(uuid),
    doer: nullable(uuid),
    category: named<NoticeCategory>('text'),
  },
  gives: {},
  sql: `
    WITH written AS (
      INSERT INTO notices (id, tenant_id, user_id, type, occurrence, subject_type, subject_id, subject_name, details)
      SELECT uuid_v7(), u.tenant_id, u.id, :type, :occurrence, :subjectType, :subjectId, :subjectName, :details
      FROM users u JOIN tenants t ON t.id = u.tenant_id
      WHERE u.id = ANY (coalesce(:people, ARRAY(
          SELECT a.id FROM users a WHERE a.tenant_id = :tenantId AND 'admin' = ANY (a.roles))))
        AND u.id IS DISTINCT FROM :doer
        AND u.kind = 'human' AND u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL
      ORDER BY u.id
      ON CONFLICT (user_id, type, occurrence) DO NOTHING
      RETURNING id, tenant_id, user_id
    ), mailed AS (
      SELECT w.id, w.tenant_id, w.user_id, row_number() OVER (PARTITION BY w.tenant_id ORDER BY w.id) AS rank
      FROM written w JOIN users u ON u.id = w.user_id
      WHERE u.email IS NOT NULL AND ${wantsMail('w.user_id', ':category')}
    )
    INSERT INTO notice_mails (notice_id, tenant_id, user_id, is_security, turn_at)
    SELECT id, tenant_id, user_id, :category = 'security', (rank - 1) * ${mailTurnSeconds} * interval '1 second'
      + greatest(statement_timestamp(), (
        SELECT max(m.turn_at) + ${mailTurnSeconds} * interval '1 second' FROM notice_mails m
        WHERE m.tenant_id = mailed.tenant_id AND m.is_security = (:category = 'security') AND m.ended_at IS NULL
      ))
    FROM mailed`,
})
