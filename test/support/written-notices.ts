import type { NoticeType } from '@hosting/core/notices'
import type { Database, Transaction } from '@hosting/postgres/database'
import { writeNotice, type NewNotice } from '@hosting/postgres/notices'

/** A notice about an endpoint named `Pager`. */
interface WrittenNotice {
  readonly people: readonly string[]
  /** Also the id of the endpoint. */
  readonly occurrence: string
  /** Default: `webhook.failing`. */
  readonly type?: NoticeType
  readonly details?: NewNotice['details']
}

/** Writes a notice of an occurrence to people in a transaction. */
export const writeNoticeIn = (
  tx: Transaction,
  { people, occurrence, type = 'webhook.failing', details = {} }: WrittenNotice,
): Promise<void> =>
  writeNotice(tx, {
    type,
    occurrence,
    subject: { type: 'webhook', id: occurrence, name: 'Pager' },
    details,
    to: { people },
  })

/** Like {@link writeNoticeIn}, in a transaction of its own. */
export const writeNoticeTo = (
  { prisma }: Pick<Database, 'prisma'>,
  notice: WrittenNotice,
): Promise<void> => prisma.$transaction((tx) => writeNoticeIn(tx, notice))
