import type { RecordedDelivery } from '../history/entries.ts'
import { faultKinds, stallKinds, type FaultKind } from '../schedule/fault-kinds.ts'
import { seconds, type HistoryView, type Rule, type Span } from './history-view.ts'
import { matchAttempts } from './match-attempts.ts'

/** The records of a delivery agree with each other and with the log of its receiver. */
export const recordsAgree: Rule = (history) =>
  [...history.records.values()].flatMap((record) => findContradictions(history, record))

function findContradictions(history: HistoryView, record: RecordedDelivery): string[] {
  const { delivery, outcome, attempts, attemptCount, listed } = record
  const numbers = attempts.map(({ number }) => number).toSorted((one, other) => one - other)
  const last = attempts.find(({ number }) => number === attempts.length)
  const wrong: string[] = []
  if (numbers.some((number, index) => number !== index + 1)) {
    wrong.push(`the attempts have the numbers ${numbers.join(', ')}`)
  }
  if (outcome !== null && attemptCount !== attempts.length) {
    wrong.push(`the count of attempts is ${attemptCount}, but ${attempts.length} are recorded`)
  }
  if ((outcome === 'succeeded') !== (last?.error === null)) {
    wrong.push(`the outcome is ${outcome}, but the last attempt ended with ${describe(last)}`)
  }
  if (attempts.some(({ number, error }) => number < attempts.length && error === null)) {
    wrong.push('an attempt follows a successful one')
  }
  if (listed && outcome !== null && !isListedRight(record)) {
    wrong.push(`the list says ${JSON.stringify(listed)}, but the outcome is ${outcome}`)
  }
  if (!listed) wrong.push('the list of the API does not contain it')
  const { timeoutMs } = history.run
  const { unmatched } = matchAttempts(attempts, history.arrivalsOf(delivery), timeoutMs)
  wrong.push(
    ...unmatched.map(
      (attempt) =>
        `attempt ${attempt.number} at ${seconds(attempt.startedAt)} ended with ${describe(attempt)}, but the receiver did not respond so`,
    ),
  )
  return wrong.map((message) => `${delivery}: ${message}`)
}

const describe = (attempt: { status: number | null; error: string | null } | undefined): string =>
  attempt ? String(attempt.status ?? attempt.error) : 'nothing'

const isListedRight = ({ outcome, attempts, listed }: RecordedDelivery): boolean =>
  listed!.status === outcome &&
  listed!.attemptCount === attempts.length &&
  listed!.lastStatus === (attempts.find(({ number }) => number === attempts.length)?.status ?? null)

/** Receivers get nothing that PostgreSQL does not know. */
export const known: Rule = (history) =>
  history
    .of('deliver')
    .filter(({ value }) => !history.records.has(value.delivery))
    .map(({ from, value }) => `${value.delivery}: a request at ${seconds(from)} has no record`)

/** The faults that can interrupt a record. One that waits for the rows of another transaction is only late. */
const interruptions: readonly FaultKind[] = (
  [...Object.keys(faultKinds), ...Object.keys(stallKinds)] as FaultKind[]
).filter((kind) => kind !== 'lock rows')

/** Every response of a receiver is recorded, except of attempts that a fault interrupted: once per fault. */
export const recordedOnce: Rule = (history) => {
  const wrong: string[] = []
  for (const record of history.records.values()) {
    const { unrecorded } = matchAttempts(
      record.attempts,
      history.arrivalsOf(record.delivery),
      history.run.timeoutMs,
    )
    const { leaseMs } = history.run
    const aroundIt = ({ from, to }: Span): Span => ({ from: from - leaseMs, to: to + leaseMs })
    // A request that the receiver did not respond to may be repeated over a new connection.
    const repeated = unrecorded.filter(
      (arrival) => arrival.type === 'ok' && !history.isOverloaded(aroundIt(arrival)),
    )
    const unexplained = repeated.filter(
      (arrival) =>
        !history.isDisturbed(aroundIt(arrival), ['worker', 'postgres'], { kinds: interruptions }),
    )
    for (const { from, result } of unexplained) {
      wrong.push(
        `${record.delivery}: the receiver responded ${result!.status} at ${seconds(from)}, which is not recorded, and no fault explains it`,
      )
    }
    const faults = countFaults(history, record)
    if (unexplained.length === 0 && repeated.length > faults) {
      wrong.push(
        `${record.delivery}: ${repeated.length} requests are not recorded, but only ${faults} faults explain them`,
      )
    }
  }
  return wrong
}

/** The faults in which an attempt of the delivery may have been interrupted, also while it was being recorded. */
function countFaults(history: HistoryView, { delivery }: RecordedDelivery): number {
  const arrivals = history.arrivalsOf(delivery)
  const [from, to] = [arrivals[0]?.from ?? 0, arrivals.at(-1)?.to ?? 0]
  return history
    .of('fault')
    .filter(({ value }) => value.target === 'worker' || value.target === 'postgres')
    .filter(({ value }) => interruptions.includes(value.kind as FaultKind))
    .filter(
      (fault) => fault.from <= to + history.run.leaseMs && fault.to >= from - history.run.leaseMs,
    ).length
}
