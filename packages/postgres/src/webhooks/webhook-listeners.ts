import type { ClientBase } from 'pg'
import type { Database } from '../database/database.ts'

/** A listener's slot among those of its organization. */
export interface ListenerSlot {
  readonly tenantId: string
  readonly slot: number
  /** Identifies the listener in the slot. */
  readonly id: string
}

/**
 * The channels on which processes notify each other. Receive them with `others` of {@link
 * KeyChangeCallbacks}.
 */
export const listenerChannels = {
  /** An organization has a listener. The payload is the organization's id. */
  listening: 'webhook_listening',
  /** Events of an organization were published. {@link parseAnnouncement} reads the payload. */
  published: 'webhook_published',
  /**
   * A session ended, or a person's permissions changed. The payload is the id of the user or the
   * organization.
   */
  callerChanged: 'caller_changed',
} as const

/** The number of listeners allowed, and how long a slot lasts without renewal. */
export interface ListenerLimits {
  readonly slots: number
  readonly slotsPerCaller: number
  readonly livesMs: number
}

/**
 * Claims a free slot of an organization, and notifies every process that the organization has a listener.
 *
 * @param listener - `caller`: identifies the key or the person that listens.
 * @returns the slot, or the limit that was reached.
 */
export async function claimListenerSlot(
  { pool }: Database,
  listener: Pick<ListenerSlot, 'tenantId' | 'id'> & { readonly caller: string },
  limits: ListenerLimits,
): Promise<ListenerSlot | 'tenant_full' | 'caller_full'> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const claimed = await claimSlot(client, listener, limits)
    await client.query('COMMIT')
    client.release()
    return claimed
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** The lock serializes the listeners of an organization, so that the counts are exact. */
async function claimSlot(
  client: ClientBase,
  { tenantId, id, caller }: Pick<ListenerSlot, 'tenantId' | 'id'> & { readonly caller: string },
  { slots, slotsPerCaller, livesMs }: ListenerLimits,
): Promise<ListenerSlot | 'tenant_full' | 'caller_full'> {
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('listeners ' || $1, 0))`, [
    tenantId,
  ])
  const { rows: counts } = await client.query<{ count: number }>(
    `SELECT count(*)::int FROM webhook_listeners
     WHERE tenant_id = $1 AND caller = $2 AND expires_at > now()`,
    [tenantId, caller],
  )
  if (counts[0]!.count >= slotsPerCaller) return 'caller_full'
  const { rows } = await client.query<{ slot: number }>(claimStatement, [
    tenantId,
    id,
    slots,
    livesMs,
    caller,
  ])
  return rows[0] ? { tenantId, id, slot: rows[0].slot } : 'tenant_full'
}

const claimStatement = `
  WITH claimed AS (
    INSERT INTO webhook_listeners AS l (tenant_id, slot, id, expires_at, caller)
    SELECT $1::uuid, free.slot, $2::uuid, now() + $4 * interval '1 ms', $5
    FROM generate_series(1, $3::int) AS free (slot)
    WHERE NOT EXISTS (
      SELECT 1 FROM webhook_listeners t
      WHERE t.tenant_id = $1 AND t.slot = free.slot AND t.expires_at > now()
    )
    ORDER BY free.slot LIMIT 1
    ON CONFLICT (tenant_id, slot) DO UPDATE
      SET id = EXCLUDED.id, expires_at = EXCLUDED.expires_at, caller = EXCLUDED.caller
      WHERE l.expires_at <= now()
    RETURNING tenant_id, slot
  )
  SELECT slot, pg_notify('${listenerChannels.listening}', tenant_id::text) FROM claimed`

/**
 * Renews a slot, and notifies every process again.
 *
 * @returns whether the listener still had the slot.
 */
export async function keepListenerSlot(
  { pool }: Database,
  { tenantId, slot, id }: ListenerSlot,
  livesMs: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `WITH kept AS (
       UPDATE webhook_listeners SET expires_at = now() + $4 * interval '1 ms'
       WHERE tenant_id = $1 AND slot = $2 AND id = $3 RETURNING tenant_id
     )
     SELECT pg_notify('${listenerChannels.listening}', tenant_id::text) FROM kept`,
    [tenantId, slot, id, livesMs],
  )
  return rowCount === 1
}

/** Frees a slot, unless another listener has it. */
export async function freeListenerSlot(
  { pool }: Database,
  { tenantId, slot, id }: ListenerSlot,
): Promise<void> {
  await pool.query('DELETE FROM webhook_listeners WHERE tenant_id = $1 AND slot = $2 AND id = $3', [
    tenantId,
    slot,
    id,
  ])
}

/** Returns the organizations that have listeners. */
export async function findListenedTenants({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ tenant_id: string }>(
    'SELECT DISTINCT tenant_id FROM webhook_listeners WHERE expires_at > now()',
  )
  return rows.map((row) => row.tenant_id)
}

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
 * Notifies every process of committed events in one statement, and only for organizations with listeners.
 */
export async function announceEvents(
  { pool }: Database,
  announcements: readonly EventAnnouncement[],
): Promise<void> {
  const notifications = announcements.flatMap(({ tenantId, ids }) =>
    payloadsOf(ids).map((payload) => ({ tenantId, payload })),
  )
  await pool.query(
    `SELECT pg_notify($1, n.tenant_id || ' ' || n.payload)
     FROM unnest($2::uuid[], $3::text[]) WITH ORDINALITY AS n (tenant_id, payload, place)
     WHERE EXISTS (SELECT FROM webhook_listeners l
       WHERE l.tenant_id = n.tenant_id AND l.expires_at > now())
     ORDER BY n.place`,
    [
      listenerChannels.published,
      notifications.map(({ tenantId }) => tenantId),
      notifications.map(({ payload }) => payload),
    ],
  )
}

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
  const { rows } = await pool.query<PublishedEvent>(
    `SELECT e.event_id AS "eventId", e.type, e.payload FROM unnest($2::uuid[]) WITH ORDINALITY AS asked (id, place)
     JOIN events e ON e.id = asked.id AND e.tenant_id = $1 AND e.id = ANY ($2::uuid[])
     ORDER BY asked.place`,
    [tenantId, ids],
  )
  return rows
}
