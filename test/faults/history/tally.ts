import type { Arrival, Entry, Operations, PublishedEvent } from './entries.ts'
import type { Recorder } from './recorder.ts'

/** What a history says so far. */
export interface Tally {
  /** The accepted events, in the order of their 202. */
  readonly accepted: readonly PublishedEvent[]
  /** The ids of the events that a receiver acknowledged. */
  readonly acknowledged: ReadonlySet<string>
  /** The publishes without a 202. */
  readonly notAccepted: number
  /** The longest time between a publish and its response, in ms: a 202, and any. */
  readonly longestMs: number
  readonly slowestMs: number
}

/** Counts a history while it is written: each call of the returned function reads only what is new. */
export function createTally({ entries }: Pick<Recorder, 'entries'>): () => Tally {
  const accepted: PublishedEvent[] = []
  const acknowledged = new Set<string>()
  const invoked = new Map<number, Entry>()
  const times = { notAccepted: 0, longestMs: 0, slowestMs: 0 }
  let read = 0

  function count(invoke: Entry, { type, at, value }: Entry): void {
    if (invoke.name === 'deliver') {
      const { status } = value as Partial<Operations['deliver']['ok']>
      if (type === 'ok' && status! < 300) acknowledged.add((invoke.value as Arrival).event)
      return
    }
    const ms = Math.round(at - invoke.at)
    times.slowestMs = Math.max(times.slowestMs, ms)
    if (type === 'ok') {
      times.longestMs = Math.max(times.longestMs, ms)
      accepted.push(...(invoke.value as Operations['publish']['invoke']).events)
    } else times.notAccepted += 1
  }

  return () => {
    for (; read < entries.length; read++) {
      const entry = entries[read]!
      if (entry.name !== 'publish' && entry.name !== 'deliver') continue
      const invoke = invoked.get(entry.call)
      if (invoke) count(invoke, entry)
      else invoked.set(entry.call, entry)
    }
    return { accepted, acknowledged, ...times }
  }
}
