import type { NoticeType } from '@hosting/core/notices'
import type { Database, Transaction } from '@hosting/postgres/database'
import { writeNotice, type NewNotice } from '@hosting/postgres/notices'

/** A notice about an endpoint named `Pager`, whose id is the occurrence. */
const toNotice = (
  people: readonly string[],
  occurrence: string,
  type: NoticeType,
  details: NewNotice['details'],
): NewNotice => ({
  type,
  occurrence,
  subject: { type: 'webhook', id: occurrence, name: 'Pager' },
  details,
  to: { people },
})

/** Writes a notice of an occurrence to people in a transaction. */
export const writeNoticeIn = (
  tx: Transaction,
  people: readonly string[],
  occurrence: string,
  type: NoticeType = 'webhook.failing',
  details: NewNotice['details'] = {},
): Promise<void> => writeNotice(tx, toNotice(people, occurrence, type, details))

/** Like {@link writeNoticeIn}, in a transaction of its own. */
export const writeNoticeTo = (
  { prisma }: Pick<Database, 'prisma'>,
  ...notice: Parameters<typeof writeNoticeIn> extends [unknown, ...infer Rest] ? Rest : never
): Promise<void> => prisma.$transaction((tx) => writeNoticeIn(tx, ...notice))
