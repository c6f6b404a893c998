import { keyUseCombinationsMax } from '@hosting/core/api-keys'
import { refusalMinuteMs, refusalRowsMax } from '@hosting/core/audit'
import {
  expiryNoticeDays,
  incidentNoticeEveryMinutes,
  mailTurnSeconds,
  noticeCategoryByType,
  noticeRecipientsByType,
  noticeSubjectNameLengthMax,
  secondFactorNoticeDays,
} from '@hosting/core/notices'
import { problemCatalog } from '@hosting/core/problems'
import {
  attemptStatsMinutes,
  endpointAddressPattern,
  failuresToOpen,
  subjectEventsMax,
} from '@hosting/core/webhooks'

/**
 * The rules of packages/core that functions of the database apply. A file of prisma/functions names one as
 * `:failuresToOpen`. A change of its value is a change of the files that name it.
 */
export const functionConstants: Readonly<Record<string, Constant>> = {
  attemptStatsMinutes,
  endpointAddressPattern,
  expiryNoticeDays,
  failuresToOpen,
  incidentNoticeEveryMinutes,
  keyUseCombinationsMax,
  mailTurnSeconds,
  minutesOfAnHour: 60,
  noticeCategoryByType,
  noticeRecipientsByType,
  noticeSubjectNameLengthMax,
  rateLimitedStatus: problemCatalog.rate_limited.status,
  refusalMinuteMs,
  refusalRowsMax,
  refusedStatus: problemCatalog.permission_denied.status,
  secondFactorNoticeDays,
  subjectEventsMax,
}

/** A number, a text, a list of numbers, or texts by name. */
type Constant = number | string | readonly number[] | Readonly<Record<string, string>>

/** A colon before a word, but not a cast (`::`) or a part of a time or a range (`HH24:MI`, `1:n`). */
const placeholder = /(?<![:\w]):([a-z]\w*)/gi

/**
 * Writes the constants into a text of SQL: a number as such, a text as a literal, a list as an array of integers, and texts by name as jsonb.
 *
 * @throws Error if the text names another constant.
 */
export const fillInConstants = (sql: string): string =>
  sql.replaceAll(placeholder, (_, name: string) => {
    const value = functionConstants[name]
    if (value === undefined) throw new Error(`:${name} is not in tools/function-constants.ts`)
    if (typeof value === 'number') return String(value)
    if (typeof value === 'string') return quoted(value)
    if (Array.isArray(value)) return `ARRAY[${value.join(', ')}]`
    return `${quoted(JSON.stringify(value))}::jsonb`
  })

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
