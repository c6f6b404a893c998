import { dayMs } from '@hosting/core/clock'
import { partitionDaysAhead } from '@hosting/postgres/database'
import { type RecordDay } from '@hosting/postgres/operators'

/** The tables of records, in the order in which records are created. */
export const recordTables = ['events', 'deliveries', 'delivery_attempts'] as const

/** The day partitions of a table. */
export interface TableDays {
  readonly table: (typeof recordTables)[number]
  readonly count: number
  readonly first: string | undefined
  readonly last: string | undefined
  /** Consecutive days after today with a partition. If every worker is down for longer, inserts fail. */
  readonly ahead: number
  readonly bytes: number
  /** Days from today on whose partition is missing. */
  readonly missing: readonly string[]
  /** Days that are being dropped. */
  readonly leaving: readonly string[]
}

/** The day (UTC) that is `days` after a moment. */
export const dayAfter = (at: Date, days: number): string =>
  new Date(at.getTime() + days * dayMs).toISOString().slice(0, 10)

/** Summarizes the partitions of each table. */
export const summarizeDays = (days: readonly RecordDay[], at: Date): TableDays[] =>
  recordTables.map((table) => {
    const own = days.flatMap(({ day, partitions }) => {
      const partition = partitions[table]
      return partition ? [{ day, ...partition }] : []
    })
    const attached = own.filter(({ isAttached }) => isAttached).map(({ day }) => day)
    const exists = (later: number): boolean => attached.includes(dayAfter(at, later))
    let ahead = 0
    while (exists(ahead + 1)) ahead += 1
    return {
      table,
      count: attached.length,
      first: attached[0],
      last: attached.at(-1),
      ahead,
      bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
      // The last day is created within an hour after midnight, so it is not expected yet.
      missing: Array.from({ length: partitionDaysAhead }, (_, later) => later)
        .filter((later) => !exists(later))
        .map((later) => dayAfter(at, later)),
      leaving: own.filter(({ isAttached }) => !isAttached).map(({ day }) => day),
    }
  })
