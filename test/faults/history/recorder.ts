import type { Entry, OperationName, Operations, Outcome } from './entries.ts'

/** Writes the history of a run. */
export interface Recorder {
  readonly entries: readonly Entry[]
  /** Milliseconds since the start of the run. */
  now(): number
  /** Converts a Unix time to the clock of the history. */
  toHistoryMs(unixMs: number): number
  /** Records the start of a call, and returns the function that records its outcome. Only the first outcome counts. */
  invoke<Name extends OperationName>(
    process: string,
    name: Name,
    value: Operations[Name]['invoke'],
  ): Complete<Operations[Name]['ok']>
}

/** Records the outcome of a call. */
export interface Complete<Result extends object> {
  ok(value: Result): void
  fail(value?: object): void
  info(value?: object): void
}

/**
 * Starts an empty history.
 *
 * @param options - `dropsInfo`: a defect, for a test of the program: an unknown outcome is recorded as `fail`.
 */
export function startHistory({ dropsInfo = false } = {}): Recorder {
  const startedAt = performance.now()
  const entries: Entry[] = []
  let calls = 0
  const now = (): number => Math.round((performance.now() - startedAt) * 10) / 10
  const unixMsAtStart = Date.now() - now()
  return {
    entries,
    now,
    toHistoryMs: (unixMs) => unixMs - unixMsAtStart,
    invoke(process, name, value) {
      const call = calls++
      entries.push({ call, type: 'invoke', at: now(), process, name, value })
      let isOpen = true
      const complete = (type: Outcome, result: object): void => {
        if (isOpen) entries.push({ call, type, at: now(), process, name, value: result })
        isOpen = false
      }
      return {
        ok: (result) => complete('ok', result),
        fail: (result = {}) => complete('fail', result),
        info: (result = {}) => complete(dropsInfo ? 'fail' : 'info', result),
      }
    },
  }
}

/** The lines of a history file. */
export const toLines = (entries: readonly Entry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

/** Reads a history file. */
export const fromLines = (text: string): Entry[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry)
