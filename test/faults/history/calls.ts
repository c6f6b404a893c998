import type { Entry, OperationName, Operations, Outcome } from './entries.ts'

/** A call of the history: from its `invoke` to its outcome. */
export interface Call<Name extends OperationName = OperationName> {
  readonly name: Name
  readonly process: string
  readonly from: number
  /** Infinity: the history holds no outcome. */
  readonly to: number
  /** A call without an outcome is `info`. */
  readonly type: Outcome
  readonly value: Operations[Name]['invoke']
  /** Of an `ok`. */
  readonly result: Operations[Name]['ok'] | undefined
  /** Of a `fail` or `info`. */
  readonly refusal: Refusal
}

/** What a response without success says. Empty: there was none. */
export interface Refusal {
  readonly status?: number
  readonly retryAfter?: string
}

/** The calls of a history, by name, in the order of their starts. */
export interface Calls {
  of<Name extends OperationName>(name: Name): readonly Call<Name>[]
  /** The time of the last entry. */
  readonly end: number
}

/** Pairs the entries of a history. */
export function toCalls(entries: readonly Entry[]): Calls {
  const outcomes = new Map(
    entries.filter(({ type }) => type !== 'invoke').map((entry) => [entry.call, entry]),
  )
  const byName = Map.groupBy(
    entries.filter(({ type }) => type === 'invoke'),
    ({ name }) => name,
  )
  const toCall = ({ call, name, process, at, value }: Entry): Call => {
    const outcome = outcomes.get(call)
    const type = (outcome?.type ?? 'info') as Outcome
    return {
      name,
      process,
      from: at,
      to: outcome?.at ?? Infinity,
      type,
      value,
      result: type === 'ok' ? outcome!.value : undefined,
      refusal: type === 'ok' ? {} : (outcome?.value ?? {}),
    }
  }
  const calls = new Map([...byName].map(([name, list]) => [name, list.map(toCall)]))
  return {
    of: <Name extends OperationName>(name: Name) =>
      (calls.get(name) ?? []) as unknown as readonly Call<Name>[],
    end: entries.at(-1)?.at ?? 0,
  }
}
