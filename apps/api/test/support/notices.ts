import type { NoticeType } from '@hosting/core/notices'
import type { TestApi } from '../../../../test/support/api.ts'
import { writeNoticeTo } from '../../../../test/support/written-notices.ts'

/** A notice as the API returns it. */
export interface NoticeView {
  readonly id: string
  readonly type: string
  readonly created_at: string
  readonly read_at: string | null
  readonly title: string
  readonly text: string
  readonly subject: { readonly type: string; readonly id: string; readonly name: string }
  readonly path: string
}

/** Writes a notice to a person. `occurrence` is also the subject's id. */
export const writeNotice = (
  { database }: TestApi,
  userId: string,
  occurrence: string,
  type: NoticeType = 'webhook.failing',
) =>
  writeNoticeTo(database, {
    people: [userId],
    occurrence,
    type,
    details: { opened_at: '2026-11-22T10:00:00.000Z', failed_attempts: 5, status_code: 503 },
  })

/** The outcome of the mail of each of a person's notices, null while it waits, by the notice's occurrence. */
export async function mailsOf(
  { database }: TestApi,
  userId: string,
): Promise<Record<string, string | null>> {
  const { rows } = await database.pool.query<{ occurrence: string; outcome: string | null }>(
    `SELECT n.occurrence, m.outcome FROM notices n JOIN notice_mails m ON m.notice_id = n.id
     WHERE n.user_id = $1`,
    [userId],
  )
  return Object.fromEntries(rows.map(({ occurrence, outcome }) => [occurrence, outcome]))
}
