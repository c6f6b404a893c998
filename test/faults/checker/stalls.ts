import type { Call } from '../history/calls.ts'
import type { OperationName } from '../history/entries.ts'
import type { StallKind } from '../schedule/fault-kinds.ts'
import { seconds, succeeded, type HistoryView, type Rule } from './history-view.ts'

/** The longest time until a response, in ms (docs/specification/requests.md#response-time). */
const answeredMsMax = 15_000
/** The longest times until the service delivers again and is ready, in ms (docs/specification/operations.md#health-and-metrics). */
const deliveredMsMax = 30_000
const readyMsMax = 45_000

/** Requests that change something. */
const changes = [
  'disable',
  'enable',
  'throttle',
  'rotate',
  'recover',
  'redeliver',
  'ping',
  'delete',
  'describe',
  'revoke',
] as const satisfies readonly OperationName[]

const requests = [...changes, 'publish', 'use', 'visit', 'read log', 'read readiness'] as const

const callsOf = (history: HistoryView, names: readonly OperationName[]): Call[] =>
  names.flatMap((name) => history.of(name))

/** Every request is answered in time, with success or without. Only a process that is stopped or killed answers nothing. */
export const answered: Rule = (history) =>
  callsOf(history, requests)
    .filter(({ from, to }) => Math.min(to, history.end) - from > answeredMsMax)
    .filter((span) => !history.isDisturbed(span, ['api', 'worker']) && !history.isOverloaded(span))
    .map(({ name, from, to }) => `${name} at ${seconds(from)} took ${seconds(to - from)}`)

/** A request that cannot be carried out now gets 503, and a publisher learns when to repeat. */
export const refusedRight: Rule = (history) =>
  callsOf(history, [...changes, 'publish', 'visit', 'read log']).flatMap(
    ({ name, from, refusal: { status, retryAfter } }) => {
      if (status === undefined || status < 500) return []
      const tellsWhen = name !== 'publish' || /^[1-9]\d*$/.test(retryAfter ?? '')
      if (status === 503 && tellsWhen) return []
      return [`${name} at ${seconds(from)} got ${status}, Retry-After: ${retryAfter}`]
    },
  )

/** After a stall, the service delivers again and is ready in time, without a restart. */
export const returned: Rule = (history) =>
  history.of('return').flatMap(({ value: { kind }, result, ...span }) => {
    if (!result) return [`${kind}: the service did not return`]
    const { deliveredMs, readyMs } = result
    if (deliveredMs <= deliveredMsMax && readyMs <= readyMsMax) return []
    if (history.isOverloaded(span)) return []
    return [`${kind}: delivered after ${seconds(deliveredMs)}, ready after ${seconds(readyMs)}`]
  })

interface Sign {
  /** Processes whose readiness shows the stall, and the check that fails. */
  readonly checks?: readonly (readonly [process: 'api' | 'worker', check: string])[]
  /** Whether changes are refused. */
  readonly refusesChanges?: true
  /** Whether publishes are refused. */
  readonly refusesPublishes?: true
}

const signs: Readonly<Partial<Record<StallKind, Sign>>> = {
  'long stop of postgres': { refusesChanges: true, refusesPublishes: true },
  'long lock of rows': { refusesChanges: true },
  'long lock of tables': { refusesChanges: true },
  'long lock of statistics': { checks: [['worker', 'records']] },
  'full small disk': {
    checks: [
      ['worker', 'records'],
      ['api', 'database_writable'],
    ],
    refusesPublishes: true,
  },
  'silent postgres': { refusesPublishes: true },
  'stop pooler': { refusesPublishes: true },
}

/** A stall is noticed: requests are refused, and the readiness of processes shows it. */
export const noticed: Rule = (history) =>
  history.of('fault').flatMap((fault) => {
    const { kind } = fault.value
    const { checks = [], refusesChanges, refusesPublishes } = signs[kind as StallKind] ?? {}
    const isWithin = ({ from }: Call): boolean => from >= fault.from && from <= fault.to
    const isRefused = (names: readonly OperationName[]): boolean =>
      callsOf(history, names).some((call) => isWithin(call) && call.refusal.status === 503)
    const isShown = (process: string, check: string): boolean =>
      succeeded(history.of('read readiness')).some(
        (call) =>
          isWithin(call) &&
          call.value.process.startsWith(process) &&
          call.result!.unavailable.includes(check),
      )
    return [
      ...checks
        .filter(([process, check]) => !isShown(process, check))
        .map(([process, check]) => `${kind}: the check ${check} of no ${process} failed`),
      ...(refusesChanges && !isRefused(changes) ? [`${kind}: no change was refused`] : []),
      ...(refusesPublishes && !isRefused(['publish']) ? [`${kind}: no publish was refused`] : []),
    ]
  })

/** A process that starts while PostgreSQL does not answer ends and says why. */
export const explained: Rule = (history) =>
  history.of('start in vain').flatMap(({ value, result }) => {
    if (result?.code === 1 && reason.test(result.output)) return []
    return [`${value.process} ended with ${result?.code}: ${result?.output}`]
  })

const reason =
  /(timeout exceeded when trying to connect|Query read timeout).*the process cannot continue/

/** PostgreSQL never has more sessions of the services than their pools hold. */
export const pooled: Rule = (history) =>
  succeeded(history.of('read sessions'))
    .filter(({ value, result }) => result!.count > value.most)
    .filter(({ from, to }) => !isLeftBehind(history, { from, to }))
    .map(
      ({ from, value, result }) =>
        `${result!.count} sessions at ${seconds(from)}, the pools hold ${value.most}`,
    )

/** Whether sessions may belong to connections whose other end nobody can reach, or to processes that are gone. */
const isLeftBehind = (history: HistoryView, span: { from: number; to: number }): boolean =>
  history.isDisturbed(span, ['api', 'worker']) ||
  history.isDisturbed(span, ['postgres'], { kinds: ['silent postgres'] })

/** Every change that succeeded is committed, those that were refused are not, and no transaction holds two. */
export const committedAlone: Rule = (history) =>
  succeeded(history.of('read changes')).flatMap(({ result }) => {
    const committed = new Set(result!.descriptions)
    const wrong = history.of('describe').flatMap(({ type, from, value: { description } }) => {
      if (type === 'ok' && !committed.has(description))
        return [`a change at ${seconds(from)} is lost`]
      if (type === 'fail' && committed.has(description)) {
        return [`a change at ${seconds(from)} was refused, and is committed`]
      }
      return []
    })
    return [...wrong, ...result!.mixed.map((notes) => `one transaction holds ${notes}`)]
  })
