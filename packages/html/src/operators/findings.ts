import { recordsKeptDays } from '@hosting/core/webhooks'
import { sampleMissingMs, type Part } from '@hosting/postgres/operators'
import { dayAfter, summarizeDays } from './days.ts'
import type { OpsSnapshot } from './snapshot.ts'
import type { RunbookAnchor } from './runbook.ts'
import { age } from './view/format.ts'

/** Something that needs attention, with the section of the runbook that says what to do. */
export interface Finding {
  readonly tone: 'bad' | 'warn'
  readonly text: string
  readonly anchor: RunbookAnchor
}

/** Limits in ms. A longer wait is more than a short delay. */
const dueMsMax = 5 * 60_000
const invalidationMsMax = 10_000
const blockedMsMax = 1_000
/** A process that has been silent for longer has ended. */
const silentMsMax = 10 * 60_000
const unsealedMsMax = 60_000
const stepMsMax = 60_000
/** Attempts are dropped by day, so the oldest day may exceed the retention by up to two days. */
const attemptDaysMax = recordsKeptDays + 2

/** The sections about the checks of a worker, as in the runbook's table of checks. */
const anchors: Readonly<Record<string, RunbookAnchor>> = {
  database: 'postgresql-is-down',
  database_writable: 'postgresql-does-not-accept-writes',
  redis: 'redis-is-down',
  consumer: 'a-consumer-is-stuck',
  slow_consumer: 'a-consumer-is-stuck',
  records: 'attempts-are-not-recorded',
  clock: 'a-clock-is-wrong',
  secrets: 'undecryptable-secrets',
}

/** The section of the runbook about a readiness check; the table of checks for those of duties. */
export const anchorOfCheck = (name: string): RunbookAnchor => anchors[name] ?? 'health'

/** The words for the name of a readiness check. */
export const checkLabel = (name: string): string => name.replaceAll('_', ' ')

/** The findings, the most severe first. */
export const findingsOf = (snapshot: OpsSnapshot, self: string): Finding[] =>
  [
    ...checkFindings(snapshot, self),
    ...blockerFindings(snapshot),
    ...processFindings(snapshot),
    ...auditFindings(snapshot),
    ...mailFindings(snapshot),
    ...dayFindings(snapshot),
    ...waitingFindings(snapshot),
    ...recoveryFindings(snapshot),
  ].toSorted((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'))

function checkFindings({ checks }: OpsSnapshot, self: string): Finding[] {
  return Object.entries(valueOf(checks) ?? {})
    .filter(([, result]) => result !== 'ok' && result !== 'warning')
    .map(([name, result]) => ({
      tone: result === 'degraded' ? 'warn' : 'bad',
      text: `This ${self} is not ready: ${checkLabel(name)} is ${result}.`,
      anchor: anchorOfCheck(name),
    }))
}

/** What blocks PostgreSQL, once somebody has waited for a second. */
function blockerFindings({ blockers }: OpsSnapshot): Finding[] {
  return (valueOf(blockers) ?? [])
    .filter(({ waitingMs }) => waitingMs === null || waitingMs > blockedMsMax)
    .map(({ application, pid, state, openMs, blocked, tables }) => {
      const facts = [`pid ${pid}`, state, openMs !== null && `open for ${age(openMs)}`]
      const sessions = blocked === 1 ? '1 other' : `${blocked} others`
      return {
        tone: 'bad',
        text: `PostgreSQL: the session ${application || 'without a name'} (${facts.filter(Boolean).join(', ')}) blocks ${sessions}${tables === null ? '' : ` on ${tables}`}.`,
        anchor: 'a-transaction-stays-open',
      }
    })
}

/** Other processes that are not ready, or that have stopped to write samples. */
function processFindings({ processes, at }: OpsSnapshot): Finding[] {
  return (valueOf(processes) ?? []).flatMap(({ kind, host, pid, lastAt, failed }): Finding[] => {
    const silentMs = +at - +lastAt
    const name = `The ${kind === 'api' ? 'API process' : 'worker'} ${host}, ${pid}`
    if (silentMs > silentMsMax) return []
    if (silentMs > sampleMissingMs) {
      const text = `${name} has been silent for ${age(silentMs)}: it has ended or does not run.`
      return [{ tone: 'warn', text, anchor: 'health' }]
    }
    const names = failed.map(checkLabel).join(', ')
    return failed.length === 0
      ? []
      : [{ tone: 'bad', text: `${name} is not ready: ${names}.`, anchor: 'health' }]
  })
}

function auditFindings({ audit }: OpsSnapshot): Finding[] {
  if (!audit || audit.broken === 0) return []
  const text = `The audit log was changed from outside: ${audit.broken} of its chains are not extended.`
  return [{ tone: 'bad', text, anchor: 'the-audit-log-was-changed' }]
}

function mailFindings({ mailFailure }: OpsSnapshot): Finding[] {
  if (mailFailure === undefined) return []
  const text = `This worker's latest email was not sent: ${mailFailure}.`
  return [{ tone: 'warn', text, anchor: 'mail-waits' }]
}

function dayFindings({ days, at }: OpsSnapshot): Finding[] {
  const tables = summarizeDays(valueOf(days) ?? [], at)
  const missing = 'value' in days ? tables.filter((table) => table.missing.length > 0) : []
  const oldest = tables.find(({ table }) => table === 'delivery_attempts')?.first
  return [
    ...missing.map(({ table, missing: [day] }): Finding => ({
      tone: 'bad',
      text: `${table} has no partition for ${day}: writes on that day will fail.`,
      anchor: 'partitions-are-missing',
    })),
    ...(oldest !== undefined && oldest < dayAfter(at, -attemptDaysMax)
      ? [
          {
            tone: 'warn',
            text: `Attempts from ${oldest} still exist. They should have been dropped after ${recordsKeptDays} days.`,
            anchor: 'retention-lags',
          } as const,
        ]
      : []),
  ]
}

function waitingFindings({ backlog, invalidations, unsealed, at }: OpsSnapshot): Finding[] {
  const since = (moment: Date | null | undefined): number => (moment ? +at - +moment : 0)
  const due = valueOf(backlog)?.open.oldestDueAt
  const told = valueOf(invalidations)?.oldestAt
  const sealed = valueOf(unsealed)?.oldestAt
  const findings: (Finding & { isTrue: boolean })[] = [
    {
      isTrue: since(due) > dueMsMax,
      tone: 'warn',
      text: `The oldest due delivery has been due for ${age(since(due))}.`,
      anchor: 'deliveries-back-up',
    },
    {
      isTrue: since(told) > invalidationMsMax,
      tone: 'bad',
      text: `A key change has waited ${age(since(told))} to reach Redis.`,
      anchor: 'pending-revocations',
    },
    {
      isTrue: since(sealed) > unsealedMsMax,
      tone: 'warn',
      text: `An audit entry has waited ${age(since(sealed))} for its seal.`,
      anchor: 'health',
    },
  ]
  return findings.filter(({ isTrue }) => isTrue)
}

function recoveryFindings({ recoveries, at }: OpsSnapshot): Finding[] {
  return (valueOf(recoveries) ?? [])
    .filter(({ status }) => status === 'running')
    .filter(({ steppedAt, createdAt }) => +at - +(steppedAt ?? createdAt) > stepMsMax)
    .map(({ endpointName }) => ({
      tone: 'warn',
      text: `The recovery of ${endpointName} has made no progress for over a minute.`,
      anchor: 'recoveries',
    }))
}

const valueOf = <T>(part: Part<T>): T | undefined => ('value' in part ? part.value : undefined)
