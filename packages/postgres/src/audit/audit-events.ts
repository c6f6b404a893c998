import { refusalMinuteMs, type AuditAction } from '@hosting/core/audit'
import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { addressGroup } from '@hosting/core/network'
import type { Prisma } from '../generated/client.ts'
import { types } from '../database/column-types.ts'
import type { Client, Database, Transaction } from '../database/database.ts'
import { defineStatement, executeIn, run } from '../database/statement.ts'

const { bool, int, jsonText, listOf, notNull, nothing, nullable, text, uuid } = types

/**
 * Who performed the action: a person, the service user of an organization key, an unknown caller, or the
 * service itself.
 */
export interface AuditActor {
  readonly type: 'user' | 'service_user' | 'anonymous' | 'system'
  readonly id: string | null
  readonly name: string | null
  readonly keyId: string | null
}

/**
 * A row of the audit log (docs/specification/audit-log.md#entries). `details` never contains a secret.
 */
export interface NewAuditEvent {
  readonly tenantId: string
  readonly action: AuditAction
  readonly outcome: 'success' | 'refused'
  readonly reason?: string
  readonly actor: AuditActor
  readonly target: { readonly type: string; readonly id: string }
  readonly ip: string | null
  readonly requestId: string | null
  readonly details?: Prisma.InputJsonObject
}

/** Appends to the audit log. Pass the transaction of the change that the entry records. */
export async function appendAuditEvent(
  client: Client,
  { actor, target, details = {}, ...event }: NewAuditEvent,
): Promise<void> {
  await client.auditEvent.create({
    data: {
      id: createUuidv7(),
      ...event,
      actorType: actor.type,
      actorId: actor.id,
      actorName: actor.name,
      actorKeyId: actor.keyId,
      targetType: target.type,
      targetId: target.id,
      details,
    },
  })
}

/** What the entries of one request have in common. */
export type AuditContext = Pick<
  NewAuditEvent,
  'tenantId' | 'actor' | 'ip' | 'requestId' | 'details'
>

/** Appends successful changes of one request to the audit log, in one statement and in their order. */
export async function appendAuditEvents(
  tx: Transaction,
  { tenantId, actor, ip, requestId }: AuditContext,
  changes: readonly Required<Pick<NewAuditEvent, 'action' | 'target' | 'details'>>[],
): Promise<void> {
  if (changes.length === 0) return
  await executeIn(tx, appendStatement, {
    tenantId,
    actorType: actor.type,
    actorId: actor.id,
    actorName: actor.name,
    actorKeyId: actor.keyId,
    ip,
    requestId,
    changes: JSON.stringify(changes.map(toChangeRow)),
  })
}

/** Adds an entry for each change. */
const appendStatement = defineStatement({
  name: 'append-audit-events',
  takes: {
    tenantId: uuid,
    actorType: text,
    actorId: nullable(text),
    actorName: nullable(text),
    actorKeyId: nullable(text),
    ip: nullable(text),
    requestId: nullable(text),
    changes: jsonText,
  },
  gives: {},
  sql: `
    INSERT INTO audit_events (id, tenant_id, action, outcome, actor_type, actor_id, actor_name, actor_key_id,
      target_type, target_id, ip, request_id, details)
    SELECT c.id, :tenantId, c.action, 'success', :actorType, :actorId, :actorName, :actorKeyId,
      c.target_type, c.target_id, :ip, :requestId, c.details
    FROM jsonb_to_recordset(:changes) AS c (id uuid, action text, target_type text, target_id text, details jsonb)`,
})

const toChangeRow = ({
  action,
  target,
  details,
}: Required<Pick<NewAuditEvent, 'action' | 'target' | 'details'>>) => ({
  id: createUuidv7(),
  action,
  target_type: target.type,
  target_id: target.id,
  details,
})

/** A refusal of a known key, with the number of times it happened since it was last recorded. */
export interface CountedRefusal {
  /** A UUIDv7. The id of the row if the refusal is the first of its minute. */
  readonly id: string
  readonly tenantId: string
  readonly keyId: string
  readonly actor: AuditActor
  readonly reason: string
  readonly ip: string
  readonly route: string
  /** The scope that was missing, of `insufficient_scope`. */
  readonly scope?: string | undefined
  readonly requestId: string
  readonly times: number
}

/**
 * Records refusals. Across all processes, the first refusal of a key, reason, address group, route and missing scope in
 * a minute becomes a row, and repeats increase a counter. After 20 rows per minute for a key and reason,
 * further refusals are only counted.
 */
export async function recordRefusals(
  { pool }: Database,
  refusals: readonly CountedRefusal[],
): Promise<void> {
  for (const refusal of refusals) {
    await run(pool, refusalStatement, {
      entry: JSON.stringify(toAuditRow(refusal)),
      route: refusal.scope === undefined ? refusal.route : `${refusal.route} ${refusal.scope}`,
      times: refusal.times,
      addressGroup: addressGroup(refusal.ip),
    })
  }
}

/** Records refusals of a key, and locks what counts them. Gives whether it added an entry. */
const refusalStatement = defineStatement({
  name: 'record-refusal',
  takes: { entry: jsonText, route: text, times: int, addressGroup: text },
  gives: { recorded: notNull(bool, 'the result of the function') },
  sql: `
    SELECT record_refusal(jsonb_populate_record(NULL::audit_events, :entry), :route, :times, :addressGroup)
      AS recorded`,
})

/** Counts refusals of a key for one reason that come from too many addresses for one row each. */
export async function recordRefusalCrowd(
  { pool }: Database,
  sample: CountedRefusal,
  addressGroups: readonly string[],
): Promise<void> {
  const entry = JSON.stringify(toAuditRow(sample))
  await run(pool, crowdStatement, { entry, addressGroups, times: sample.times })
}

/** Counts refusals over the limit, and locks the row that counts them. */
const crowdStatement = defineStatement({
  name: 'record-refusal-crowd',
  takes: { entry: jsonText, addressGroups: listOf(text), times: int },
  gives: { recorded: nothing },
  sql: `
    SELECT record_refusal_crowd(jsonb_populate_record(NULL::audit_events, :entry), :addressGroups, :times)
      AS recorded`,
})

const toAuditRow = ({
  id,
  tenantId,
  keyId,
  actor,
  reason,
  ip,
  route,
  scope,
  requestId,
}: CountedRefusal) => ({
  id,
  tenant_id: tenantId,
  occurred_at: currentTime().toISOString(),
  action: 'api_key.refuse',
  outcome: 'refused',
  reason,
  actor_type: actor.type,
  actor_id: actor.id,
  actor_name: actor.name,
  actor_key_id: actor.keyId,
  target_type: 'api_key',
  target_id: keyId,
  ip,
  request_id: requestId,
  // Behind a proxy or with several addresses, the caller does not know which one was seen.
  details: {
    route,
    ...(scope !== undefined && { scope }),
    ...(reason === 'api_key_ip_denied' && { ip }),
  },
})

/**
 * Closes refusal minutes that are over and records their repeats as rows. Returns the number of minutes
 * closed.
 */
export async function closeRefusalWindows({ pool }: Database): Promise<number> {
  const [windows] = await run(pool, closeWindowsStatement, { refusalMinuteMs })
  const [minutes] = await run(pool, closeMinutesStatement, { refusalMinuteMs })
  return windows!.closed + minutes!.closed
}

/**
 * Closes windows that are over, and skips those that are locked. In a fixed order, so that two processes lock the
 * minutes in the same order.
 */
const closeWindowsStatement = defineStatement({
  name: 'close-refusal-windows',
  takes: { refusalMinuteMs: int },
  gives: { closed: notNull(int, 'count') },
  sql: `
    WITH over AS (
      DELETE FROM refusal_windows WHERE (key_id, reason, address_group, route) IN (
        SELECT key_id, reason, address_group, route FROM refusal_windows
        WHERE started_at <= now() - :refusalMinuteMs * interval '1 ms' LIMIT 500 FOR UPDATE SKIP LOCKED
      ) RETURNING *
    )
    SELECT count(*)::int AS closed FROM (
      SELECT close_refusal_window(o.*::refusal_windows) FROM (
        SELECT * FROM over ORDER BY key_id, reason OFFSET 0
      ) o
    ) c`,
})

/** Closes minutes that are over, and skips those that are locked. */
const closeMinutesStatement = defineStatement({
  name: 'close-refusal-minutes',
  takes: { refusalMinuteMs: int },
  gives: { closed: notNull(int, 'count') },
  sql: `
    WITH over AS (
      DELETE FROM refusal_minutes WHERE (key_id, reason) IN (
        SELECT key_id, reason FROM refusal_minutes
        WHERE started_at <= now() - :refusalMinuteMs * interval '1 ms' LIMIT 500 FOR UPDATE SKIP LOCKED
      ) RETURNING *
    )
    SELECT count(*)::int AS closed FROM (
      SELECT close_refusal_minute(over.*::refusal_minutes) FROM over
    ) c`,
})
