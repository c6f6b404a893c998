import { partitionDaysAhead, type RecordDay } from '@hosting/postgres'

/** The names of the records' tables, in the order that records come to be. */
export const recordTables = ['events', 'deliveries', 'delivery_attempts'] as const

/** The day partitions of a table. */
export interface TableDays {
  readonly table: (typeof recordTables)[number]
  readonly count: number
  readonly first: string | undefined
  readonly last: string | undefined
  /** Days after today without a gap: so long may every worker be down before inserts fail. */
  readonly ahead: number
  readonly bytes: number
  /** Days from today on that should be there and are not. */
  readonly missing: readonly string[]
  /** Days that are being dropped. */
  readonly leaving: readonly string[]
}

const dayMs = 86_400_000

/** A day so many days after a moment, in UTC. */
export const dayAfter = (at: Date, days: number): string =>
  new Date(at.getTime() + days * dayMs).toISOString().slice(0, 10)

/** What there is of each table. */
export const summarizeDays = (days: readonly RecordDay[], at: Date): TableDays[] =>
  recordTables.map((table) => {
    const own = days.flatMap(({ day, partitions }) => {
      const partition = partitions[table]
      return partition ? [{ day, ...partition }] : []
    })
    const attached = own.filter(({ isAttached }) => isAttached).map(({ day }) => day)
    const isThere = (later: number): boolean => attached.includes(dayAfter(at, later))
    let ahead = 0
    while (isThere(ahead + 1)) ahead += 1
    return {
      table,
      count: attached.length,
      first: attached[0],
      last: attached.at(-1),
      ahead,
      bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
      // The last day is made within an hour of midnight, so it is not missed before.
      missing: Array.from({ length: partitionDaysAhead }, (_, later) => later)
        .filter((later) => !isThere(later))
        .map((later) => dayAfter(at, later)),
      leaving: own.filter(({ isAttached }) => !isAttached).map(({ day }) => day),
    }
  })
