import type { Entry } from '../history/entries.ts'
import { audited, counted } from './counts.ts'
import { accepted, ended, inOnePlace, publishable, recovered, requested } from './deliveries.ts'
import { logged } from './event-log.ts'
import { viewHistory, type Rule } from './history-view.ts'
import { keysEnd, rateLimited } from './keys.ts'
import { known, recordedOnce, recordsAgree } from './records.ts'
import { signed } from './signatures.ts'
import {
  answered,
  committedAlone,
  explained,
  noticed,
  pooled,
  refusedRight,
  returned,
} from './stalls.ts'
import { nothingAfterTheEnd, oneAtATime, retriesInTime, throttled } from './starts.ts'

/** A process ends only if it is told to. */
const keepRunning: Rule = (history) => history.of('exit').map(({ value }) => value.report)

/** No fault makes a process log a defect. */
const logNoDefects: Rule = (history) => history.of('log').map(({ value }) => value.report)

/** The rules of the service, by what they state. */
const rules = {
  'publishes are accepted': publishable,
  'every accepted event has its deliveries': accepted,
  'the event log is complete and in order': logged,
  'every delivery is in one place': inOnePlace,
  'every delivery ends': ended,
  'processes keep running': keepRunning,
  'no defect is logged': logNoDefects,
  'the records agree with the receivers': recordsAgree,
  'every response is recorded': recordedOnce,
  'receivers get only what is recorded': known,
  'one attempt at a time': oneAtATime,
  'retries are in time': retriesInTime,
  'nothing starts after the end': nothingAfterTheEnd,
  'the throttle is kept': throttled,
  'signatures are valid': signed,
  'keys end': keysEnd,
  'the rate limit is kept': rateLimited,
  'requests are carried out once': requested,
  'recoveries are complete': recovered,
  'counters equal a recount': counted,
  'the audit log is complete': audited,
  'changes are committed alone': committedAlone,
  'requests are answered in time': answered,
  'refusals are 503': refusedRight,
  'stalls are noticed': noticed,
  'the service returns after a stall': returned,
  'processes say why they do not start': explained,
  'sessions stay within the pools': pooled,
} as const satisfies Record<string, Rule>

export type RuleName = keyof typeof rules

/** What contradicts a rule. */
export interface Objection {
  readonly rule: RuleName
  readonly message: string
}

/** Checks a history. It reads nothing else. @throws Error if the history does not start with `run`. */
export function checkHistory(entries: readonly Entry[]): Objection[] {
  const history = viewHistory(entries)
  return Object.entries(rules).flatMap(([rule, find]) =>
    find(history).map((message) => ({ rule: rule as RuleName, message })),
  )
}
