import type { ClaimedAttempt, TakenAttempt } from '@hosting/core/webhooks'
import { types, type RowOf } from '../database/column-types.ts'
import { quickCommit, type Database } from '../database/database.ts'
import { defineDayStatement, groupByRecentDay } from '../database/day-statements.ts'
import { readSql } from '../database/read-sql.ts'
import { defineHotStatement, runPrepared, type Values } from '../database/statement.ts'
import { endWithoutEvent } from './abandon-deliveries.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'
import { spacingOf, startDelayOf, toleranceOf } from './throttle.ts'

const { bool, int, float, listOf, notNull, nullable, text, time, uuid } = types

/**
 * Claims attempts for the worker that has their jobs. Only one process at a time can claim a delivery,
 * and only for its next attempt. An attempt that is not returned must not be made: it was already made,
 * is held by another process or was postponed, its endpoint is disabled or deleted, or another transaction has locked
 * its row ({@link findLockedAttempts}).
 *
 * The deliveries of a disabled endpoint remain as rows and wait. Those of an endpoint without a valid
 * secret are postponed by a minute. Those that exceed the rate limit of their endpoint, or are not due yet,
 * are postponed until they may start. A delivery whose event is missing becomes dead. The statement that claims
 * also reads the endpoint and its secrets, so every change committed before it applies to these attempts.
 *
 * @param leaseMs - the time after which another process may take over the attempts.
 */
export async function claimAttempts(
  database: Database,
  taken: readonly TakenAttempt[],
  leaseMs: number,
): Promise<ClaimedAttempt[]> {
  const leaseEndsMs = performance.now() + leaseMs
  const rows = await claimRows(database, taken, leaseMs)
  const withoutEvent = rows.filter(({ eventId }) => eventId === null)
  if (withoutEvent.length > 0) await endWithoutEvent(database, withoutEvent)
  return rows.flatMap(({ attemptsMade, secretIds, eventId, eventType, payload, ...claimed }) =>
    eventId === null
      ? []
      : {
          state: 'claimed',
          ...claimed,
          number: attemptsMade + 1,
          leaseEndsMs,
          secretIds: secretIds.split(','),
          eventId,
          eventType: eventType!,
          payload: payload!,
        },
  )
}

/**
 * Claims what can be sent now with a short statement, and the rest, if there is any, with the one that handles every
 * case (packages/postgres/README.md#short-statements).
 */
async function claimRows(
  database: Database,
  taken: readonly TakenAttempt[],
  leaseMs: number,
): Promise<ClaimRow[]> {
  const claim = (statement: typeof claimStatement, of: readonly TakenAttempt[]) =>
    runPrepared(database, statement, { ...listsOf(of), leaseMs })
  const rows: ClaimRow[] = []
  for (const [day, ofDay] of groupByRecentDay(taken, ({ deliveryId }) => deliveryId)) {
    rows.push(...(await claim(claimUnthrottledStatement.on(day), ofDay)))
  }
  const leaseIds = new Set(rows.map(({ leaseId }) => leaseId))
  const others = taken.filter(({ leaseId }) => !leaseIds.has(leaseId))
  return others.length === 0 ? rows : [...rows, ...(await claim(claimStatement, others))]
}

const listsOf = (taken: readonly TakenAttempt[]): Values<typeof claimLists> => ({
  deliveryIds: taken.map(({ deliveryId }) => deliveryId),
  attemptsMade: taken.map(({ number }) => number - 1),
  leaseIds: taken.map(({ leaseId }) => leaseId),
})

/** By how long an attempt is postponed if its endpoint has no secret to sign it with. */
const withoutSecretMs = 60_000

/** One element per claim in each list. */
const claimLists = { deliveryIds: listOf(uuid), attemptsMade: listOf(int), leaseIds: listOf(uuid) }

const takes = { ...claimLists, leaseMs: float }

const gives = {
  deliveryId: uuid,
  attemptsMade: int,
  leaseId: notNull(uuid, 'set by the update'),
  tenantId: uuid,
  endpointId: uuid,
  url: text,
  /** Separated by commas: pg reads a text faster than an array. */
  secretIds: notNull(text, 'part of the condition'),
  startBy: nullable(time),
  standardWebhooks: bool,
  headersId: nullable(uuid),
  /** Null, like the rest of the event: there is no such event. */
  eventId: nullable(uuid),
  eventType: nullable(text),
  payload: nullable(text),
  traceParent: nullable(text),
}

type ClaimRow = RowOf<typeof gives>

/** Leases deliveries of open endpoints without a rate limit, whose events are of the day. */
const claimUnthrottledStatement = defineDayStatement((partitionOf) => ({
  name: 'claim-unthrottled-attempts',
  takes,
  gives,
  sql: readSql('claim-unthrottled-attempts', { quickCommit, events: partitionOf('events') }),
}))

/** Leases deliveries, or postpones them. */
const claimStatement = defineHotStatement({
  name: 'claim-attempts',
  takes,
  gives,
  sql: readSql('claim-attempts', {
    quickCommit,
    spacing: spacingOf('t.rate'),
    tolerance: toleranceOf('t.rate'),
    startDelay: startDelayOf('t.rate'),
    wakePostponed: wakeEndpoints('postponed'),
    withoutSecretMs,
  }),
})

/**
 * Finds attempts that were not claimed because another transaction had locked their rows, and that can be claimed once
 * that transaction ends: they are still held for a job, and no worker has them
 * (packages/postgres/README.md#locked-attempts). The result includes attempts that {@link claimAttempts} postponed
 * because their endpoint has no valid secret.
 *
 * @param unclaimed - attempts that {@link claimAttempts} did not return.
 * @returns the ids of their leases.
 */
export async function findLockedAttempts(
  database: Database,
  unclaimed: readonly TakenAttempt[],
): Promise<ReadonlySet<string>> {
  const rows = await runPrepared(database, lockedStatement, listsOf(unclaimed))
  return new Set(rows.map(({ leaseId }) => leaseId))
}

/** Returns the leases of attempts whose rows are held without a lease. Locks nothing. */
const lockedStatement = defineHotStatement({
  name: 'find-locked-attempts',
  takes: claimLists,
  gives: { leaseId: notNull(uuid, 'given') },
  sql: `
  SELECT j.lease_id FROM unnest(:deliveryIds, :attemptsMade, :leaseIds) AS j (delivery_id, attempts_made, lease_id)
  JOIN pending_deliveries p ON p.delivery_id = ANY (ARRAY[j.delivery_id]) AND p.attempts_made = j.attempts_made
  WHERE p.lease_id IS NULL AND p.held_until > now()`,
})

/** Returns encrypted signing secrets by id. The secret of an id never changes, so callers may cache it. */
export async function findEncryptedSecrets(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runPrepared(database, encryptedStatement, { ids })
  return new Map(rows.map(({ id, encrypted }) => [id, encrypted]))
}

/** Returns encrypted signing secrets by their ids. Locks nothing. */
const encryptedStatement = defineHotStatement({
  name: 'find-encrypted-secrets',
  takes: { ids: listOf(uuid) },
  gives: { id: uuid, encrypted: text },
  sql: 'SELECT id, encrypted FROM webhook_secrets WHERE id = ANY (:ids)',
})
