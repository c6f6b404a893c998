import type { ClientBase } from 'pg'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, execute, run } from '../database/statement.ts'
import { runTransaction } from '../database/transaction.ts'

const { int, listOf, notNull, nothing, smallint, text, float, uuid } = types

/** A stream's slot among those of its organization. */
export interface StreamSlot {
  readonly tenantId: string
  readonly slot: number
  /** Identifies the stream in the slot. */
  readonly id: string
}

/**
 * The channels on which processes notify each other. Receive them with `others` of {@link
 * KeyChangeCallbacks}.
 */
export const streamChannels = {
  /** An organization has an open stream. The payload is the organization's id. */
  listening: 'webhook_listening',
  /** Events of an organization were published. {@link parseAnnouncement} reads the payload. */
  published: 'webhook_published',
  /**
   * A session ended, or a person's permissions changed. The payload is the id of the user or the
   * organization.
   */
  callerChanged: 'caller_changed',
} as const

/** The number of streams allowed, and how long a slot lasts without renewal. */
export interface EventStreamLimits {
  readonly slots: number
  readonly slotsPerCaller: number
  readonly livesMs: number
}

/**
 * Claims a free slot of an organization, and notifies every process that the organization has an open stream.
 *
 * @param stream - `caller`: identifies the key or the person that opened it.
 * @returns the slot, or the limit that was reached.
 */
export async function claimStreamSlot(
  { pool }: Database,
  stream: Pick<StreamSlot, 'tenantId' | 'id'> & { readonly caller: string },
  limits: EventStreamLimits,
): Promise<StreamSlot | 'tenant_full' | 'caller_full'> {
  return await runTransaction({ pool }, (client) => claimSlot(client, stream, limits))
}

/** The lock serializes the claims of an organization, so that the counts are exact. */
async function claimSlot(
  client: ClientBase,
  { tenantId, id, caller }: Pick<StreamSlot, 'tenantId' | 'id'> & { readonly caller: string },
  { slots, slotsPerCaller, livesMs }: EventStreamLimits,
): Promise<StreamSlot | 'tenant_full' | 'caller_full'> {
  await run(client, lockStatement, { tenantId })
  const [counted] = await run(client, countStatement, { tenantId, caller })
  if (counted!.count >= slotsPerCaller) return 'caller_full'
  const [claimed] = await run(client, claimStatement, { tenantId, id, slots, livesMs, caller })
  return claimed ? { tenantId, id, slot: claimed.slot } : 'tenant_full'
}

/** Locks the streams of an organization until the transaction ends. */
const lockStatement = defineStatement({
  name: 'lock-streams',
  takes: { tenantId: text },
  gives: { locked: nothing },
  sql: `SELECT pg_advisory_xact_lock(hashtextextended('listeners ' || :tenantId, 0)) AS locked`,
})

/** Returns the number of open streams of a caller. Locks nothing. */
const countStatement = defineStatement({
  name: 'count-streams-of-caller',
  takes: { tenantId: uuid, caller: text },
  gives: { count: notNull(int, 'count') },
  sql: `
    SELECT count(*)::int FROM webhook_listeners
    WHERE tenant_id = :tenantId AND caller = :caller AND expires_at > now()`,
})

/** Takes the first free slot of an organization, and notifies the publishers. Gives it; none: all are taken. */
const claimStatement = defineStatement({
  name: 'claim-stream-slot',
  takes: { tenantId: uuid, id: uuid, slots: int, livesMs: float, caller: text },
  gives: { slot: smallint, notified: nothing },
  sql: `
    WITH claimed AS (
      INSERT INTO webhook_listeners AS l (tenant_id, slot, id, expires_at, caller)
      SELECT :tenantId, free.slot, :id, now() + :livesMs * interval '1 ms', :caller
      FROM generate_series(1, :slots) AS free (slot)
      WHERE NOT EXISTS (
        SELECT 1 FROM webhook_listeners t
        WHERE t.tenant_id = :tenantId AND t.slot = free.slot AND t.expires_at > now()
      )
      ORDER BY free.slot LIMIT 1
      ON CONFLICT (tenant_id, slot) DO UPDATE
        SET id = EXCLUDED.id, expires_at = EXCLUDED.expires_at, caller = EXCLUDED.caller
        WHERE l.expires_at <= now()
      RETURNING tenant_id, slot
    )
    SELECT slot, pg_notify('${streamChannels.listening}', tenant_id::text) AS notified FROM claimed`,
})

/**
 * Renews a slot, and notifies every process again.
 *
 * @returns whether the stream still had the slot.
 */
export async function keepStreamSlot(
  { pool }: Database,
  slot: StreamSlot,
  livesMs: number,
): Promise<boolean> {
  const kept = await run(pool, keepStatement, { ...slot, livesMs })
  return kept.length === 1
}

/** Extends the time of a slot, and notifies the publishers. Gives no row if the slot was lost. */
const keepStatement = defineStatement({
  name: 'keep-stream-slot',
  takes: { tenantId: uuid, slot: smallint, id: uuid, livesMs: float },
  gives: { notified: nothing },
  sql: `
    WITH kept AS (
      UPDATE webhook_listeners SET expires_at = now() + :livesMs * interval '1 ms'
      WHERE tenant_id = :tenantId AND slot = :slot AND id = :id RETURNING tenant_id
    )
    SELECT pg_notify('${streamChannels.listening}', tenant_id::text) AS notified FROM kept`,
})

/** Frees a slot, unless another stream has it. */
export async function freeStreamSlot({ pool }: Database, slot: StreamSlot): Promise<void> {
  await execute(pool, freeStatement, slot)
}

/** Frees a slot, unless another stream has it. */
const freeStatement = defineStatement({
  name: 'free-stream-slot',
  takes: { tenantId: uuid, slot: smallint, id: uuid },
  gives: {},
  sql: 'DELETE FROM webhook_listeners WHERE tenant_id = :tenantId AND slot = :slot AND id = :id',
})

/** Returns the organizations that have open streams. */
export async function findListenedTenants({ pool }: Database): Promise<string[]> {
  const rows = await run(pool, tenantsStatement, {})
  return rows.map(({ tenantId }) => tenantId)
}

/** Returns the organizations with an open stream. Locks nothing. */
const tenantsStatement = defineStatement({
  name: 'find-listened-tenants',
  takes: {},
  gives: { tenantId: uuid },
  sql: 'SELECT DISTINCT tenant_id FROM webhook_listeners WHERE expires_at > now()',
})

/** A notification is limited to 8,000 bytes; an id with its comma takes 37. */
const idsPerNotification = 200

/** Committed events of an organization, by our own ids, in order. `missed`: too many to list. */
export interface EventAnnouncement {
  readonly tenantId: string
  readonly ids: readonly string[] | 'missed'
}

/** Stands for the ids if there are too many events to list. */
const missedMark = '*'

/**
 * Notifies every process of committed events in one statement, and only for organizations with open streams.
 */
export async function announceEvents(
  { pool }: Database,
  announcements: readonly EventAnnouncement[],
): Promise<void> {
  const notifications = announcements.flatMap(({ tenantId, ids }) =>
    payloadsOf(ids).map((payload) => ({ tenantId, payload })),
  )
  await run(pool, announceStatement, {
    tenantIds: notifications.map(({ tenantId }) => tenantId),
    payloads: notifications.map(({ payload }) => payload),
  })
}

/** Notifies the streams of events, in their order, in organizations that have an open stream. */
const announceStatement = defineStatement({
  name: 'announce-events',
  takes: { tenantIds: listOf(uuid), payloads: listOf(text) },
  gives: { notified: nothing },
  sql: `
    SELECT pg_notify('${streamChannels.published}', n.tenant_id || ' ' || n.payload) AS notified
    FROM unnest(:tenantIds, :payloads) WITH ORDINALITY AS n (tenant_id, payload, position)
    WHERE EXISTS (SELECT FROM webhook_listeners l WHERE l.tenant_id = n.tenant_id AND l.expires_at > now())
    ORDER BY n.position`,
})

function payloadsOf(ids: EventAnnouncement['ids']): string[] {
  if (ids === 'missed') return [missedMark]
  return Array.from({ length: Math.ceil(ids.length / idsPerNotification) }, (_, part) =>
    ids.slice(part * idsPerNotification, (part + 1) * idsPerNotification).join(','),
  )
}

/** Parses the payload of an announcement by {@link announceEvents}. */
export function parseAnnouncement(payload: string): {
  tenantId: string
  ids: string[] | 'missed'
} {
  const [tenantId = '', ids = ''] = payload.split(' ')
  return { tenantId, ids: ids === missedMark ? 'missed' : ids.split(',') }
}

/** An event as it was accepted. */
export interface PublishedEvent {
  /** Our own id. */
  readonly id: string
  /** The public id. */
  readonly eventId: string
  readonly type: string
  /** The exact bytes of the envelope. */
  readonly payload: string
}

/**
 * Reads events by our own ids, in the given order. An event that was accepted earlier under another id of
 * ours has no row, and is omitted.
 */
export async function readPublishedEvents(
  { pool }: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<PublishedEvent[]> {
  return await run(pool, readStatement, { tenantId, ids })
}

/** Returns events by their ids, in the order of the ids. Locks nothing. */
const readStatement = defineStatement({
  name: 'read-published-events',
  takes: { tenantId: uuid, ids: listOf(uuid) },
  gives: { id: uuid, eventId: uuid, type: text, payload: text },
  sql: `
    SELECT e.id, e.event_id, e.type, e.payload FROM unnest(:ids) WITH ORDINALITY AS asked (id, position)
    JOIN events e ON e.id = asked.id AND e.tenant_id = :tenantId AND e.id = ANY (:ids)
    ORDER BY asked.position`,
})
