import type { LoggedPosition } from '../history/entries.ts'
import { possible, succeeded, type HistoryView, type Rule } from './history-view.ts'

/**
 * Whoever follows the event log of an organization gets every accepted event once, in the order of the positions, and
 * nothing else.
 */
export const logged: Rule = (history) => {
  const pages = Map.groupBy(succeeded(history.of('read log')), ({ value }) => value.tenant)
  return [...pages].flatMap(([tenant, reads]) => {
    const read = reads.flatMap(({ result }) => result!.events)
    return [
      ...findMissing(history, tenant, read),
      ...findUnknown(history, tenant, read),
      ...findRepeated(read),
      ...findLate(history, tenant, read),
    ].map((message) => `the log of ${tenant}: ${message}`)
  })
}

/** Events that were accepted, or that are stored with a position, and that the reader did not get. */
function findMissing(history: HistoryView, tenant: string, read: readonly string[]): string[] {
  const seen = new Set(read)
  const accepted = succeeded(history.of('publish')).flatMap(({ value }) => value.events)
  const expected = new Map([
    ...accepted.filter((event) => event.tenant === tenant).map(({ id }) => [id, 'accepted']),
    ...positionsOf(history, tenant).map(({ event }) => [event, 'stored']),
  ] as [string, string][])
  return [...expected]
    .filter(([event]) => !seen.has(event))
    .map(([event, what]) => `event ${event} was ${what}, but the reader did not get it`)
}

function findUnknown(history: HistoryView, tenant: string, read: readonly string[]): string[] {
  const published = new Set(
    possible(history.of('publish')).flatMap(({ value }) =>
      value.events.filter((event) => event.tenant === tenant).map(({ id }) => id),
    ),
  )
  return read
    .filter((event) => !published.has(event))
    .map((event) => `nobody published its event ${event}`)
}

const findRepeated = (read: readonly string[]): string[] =>
  read
    .filter((event, index) => read.indexOf(event) !== index)
    .map((event) => `the reader got event ${event} again`)

function findLate(history: HistoryView, tenant: string, read: readonly string[]): string[] {
  const positions = new Map(
    positionsOf(history, tenant).map(({ event, position }) => [event, position]),
  )
  let highest = 0
  return read.flatMap((event) => {
    const position = positions.get(event)
    if (position === undefined) return [`event ${event} is not stored`]
    if (position <= highest) return [`event ${event} at ${position} came after ${highest}`]
    highest = position
    return []
  })
}

const positionsOf = (history: HistoryView, tenant: string): readonly LoggedPosition[] =>
  succeeded(history.of('read positions'))
    .filter(({ value }) => value.tenant === tenant)
    .flatMap(({ result }) => result!.positions)
