import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { timeOfUuidv7 } from '@hosting/core/ids'
import type { DayTable } from './day-partitions.ts'
import {
  defineHotStatement,
  toStatement,
  type HotStatement,
  type StatementDefinition,
  type Types,
} from './define-statement.ts'

/**
 * A hot statement on the partitions of one day, see {@link defineDayStatement}. Itself, it is the statement on the tables,
 * which nobody runs.
 */
export interface DayStatement<
  Takes extends Types = Types,
  Gives extends Types = Types,
> extends HotStatement<Takes, Gives> {
  /** Makes the statement of a day, such as `20261130`. */
  on(day: string): HotStatement<Takes, Gives>
}

/**
 * Defines a hot statement on the partitions of one day. A partition is an ordinary table, so such a statement may lock rows
 * of the queue (packages/postgres/README.md#records-apart-from-row-locks), and starting it does not choose among partitions.
 * A connection keeps the plans of each day until it is closed, after a day.
 *
 * @param toDefinition - takes a function that gives the name of a table's partition.
 */
export function defineDayStatement<const Takes extends Types, const Gives extends Types>(
  toDefinition: (partitionOf: (table: DayTable) => string) => StatementDefinition<Takes, Gives>,
): DayStatement<Takes, Gives> {
  const made = new Map<string, HotStatement<Takes, Gives>>()
  const make = (day: string): HotStatement<Takes, Gives> => {
    const definition = toDefinition((table) => `${table}_${day}`)
    const name = `${definition.name} ${day}`
    return Object.assign(toStatement({ ...definition, name }), { isHot: true as const })
  }
  const on = (day: string): HotStatement<Takes, Gives> => {
    const statement = made.get(day) ?? make(day)
    if (made.size > recentDays) made.clear()
    made.set(day, statement)
    return statement
  }
  return Object.assign(defineHotStatement(toDefinition((table) => table)), { on })
}

/** Yesterday, today and tomorrow: two clocks may differ at midnight. */
const recentDays = 3

/**
 * Groups what belongs to a UUIDv7 by its day, for {@link defineDayStatement}. Leaves out other days than these, whose
 * partitions always exist and are not removed: yesterday, today and tomorrow.
 */
export function groupByRecentDay<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
): Map<string, Item[]> {
  const today = Math.floor(currentTimeMs() / dayMs)
  const groups = Map.groupBy(items, (item) => Math.floor(timeOfUuidv7(idOf(item)) / dayMs))
  return new Map(
    [...groups].flatMap(([day, group]) =>
      Math.abs(day - today) <= 1 ? [[dayOf(day * dayMs), group] as const] : [],
    ),
  )
}

/** A day as in the names of partitions: `20261130`. */
const dayOf = (timeMs: number): string =>
  new Date(timeMs).toISOString().slice(0, 10).replaceAll('-', '')
