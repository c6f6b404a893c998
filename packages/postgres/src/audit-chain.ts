import { chainStart, isSameHash, sealHash, signHead } from '@hosting/core'
import type pg from 'pg'
import type { Database } from './database.ts'

/** Rows sealed in one transaction. */
const batchMax = 500
/** Organizations sealed in one round. */
const tenantsMax = 100

const eventColumns = `id, tenant_id, occurred_at, action, outcome, reason, actor_type, actor_id, actor_name,
  actor_key_id, target_type, target_id, ip, request_id, details`

/**
 * Seals the audit events that wait for it: each is chained to the one sealed before it in its
 * organization, and the head is signed. Any number of processes may do so at once.
 *
 * @returns how many were sealed.
 */
export async function sealAuditEvents(database: Database, serverSecret: Buffer): Promise<number> {
  const { rows } = await database.pool.query<{ tenant_id: string }>(
    'SELECT DISTINCT tenant_id FROM (SELECT tenant_id FROM audit_unsealed LIMIT 10000) w LIMIT $1',
    [tenantsMax],
  )
  let sealed = 0
  for (const { tenant_id } of rows) sealed += await sealTenant(database, serverSecret, tenant_id)
  return sealed
}

async function sealTenant(
  { pool }: Database,
  serverSecret: Buffer,
  tenantId: string,
): Promise<number> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const sealed = await extendChain(client, serverSecret, tenantId)
    await client.query('COMMIT')
    client.release()
    return sealed
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function extendChain(
  client: pg.PoolClient,
  serverSecret: Buffer,
  tenantId: string,
): Promise<number> {
  const head = await lockHead(client, serverSecret, tenantId)
  if (!head) return 0
  const { rows: events } = await client.query<{ id: string }>(
    `SELECT ${eventColumns} FROM audit_events
     WHERE id IN (SELECT audit_event_id FROM audit_unsealed WHERE tenant_id = $1
       ORDER BY audit_event_id LIMIT $2)
     ORDER BY id`,
    [tenantId, batchMax],
  )
  if (events.length === 0) return 0
  let { count, hash } = head
  const hashes = events.map((event) => {
    count += 1n
    hash = sealHash(hash, count, event)
    return hash
  })
  const ids = events.map(({ id }) => id)
  await client.query(
    `INSERT INTO audit_seals (tenant_id, sequence, audit_event_id, hash)
     SELECT $1, $2::bigint + ordinality, id, hash
     FROM unnest($3::uuid[], $4::bytea[]) WITH ORDINALITY AS s (id, hash, ordinality)`,
    [tenantId, head.count, ids, hashes],
  )
  await client.query('DELETE FROM audit_unsealed WHERE audit_event_id = ANY ($1::uuid[])', [ids])
  await client.query(
    'UPDATE audit_heads SET count = $2, hash = $3, signature = $4, updated_at = now() WHERE tenant_id = $1',
    [tenantId, count, hash, signHead(serverSecret, { tenantId, count, hash })],
  )
  return events.length
}

interface Head {
  readonly count: bigint
  readonly hash: Buffer
}

/** Gives nothing if another process is sealing this organization. */
async function lockHead(
  client: pg.PoolClient,
  serverSecret: Buffer,
  tenantId: string,
): Promise<Head | undefined> {
  const start = { tenantId, count: 0n, hash: chainStart }
  await client.query(
    `INSERT INTO audit_heads (tenant_id, count, hash, signature) VALUES ($1, 0, $2, $3)
     ON CONFLICT DO NOTHING`,
    [tenantId, chainStart, signHead(serverSecret, start)],
  )
  const { rows } = await client.query<{ count: string; hash: Buffer }>(
    'SELECT count, hash FROM audit_heads WHERE tenant_id = $1 FOR UPDATE SKIP LOCKED',
    [tenantId],
  )
  return rows[0] && { count: BigInt(rows[0].count), hash: rows[0].hash }
}

/** What is wrong with a chain, and where. */
export interface ChainFault {
  readonly tenantId: string
  /** The place in the chain; null where it is not of one place. */
  readonly sequence: bigint | null
  readonly fault: string
}

/** What a walk over the chains found. */
export interface ChainReport {
  readonly tenants: number
  readonly rows: number
  readonly faults: readonly ChainFault[]
}

/**
 * Walks the chain of every organization from its start to its signed head: an event that was changed,
 * removed, added, or put in another order shows, and so does a tail that was cut off. It sees one moment,
 * so that what is sealed meanwhile is no fault.
 */
export async function verifyAuditChains(
  { pool }: Database,
  serverSecret: Buffer,
): Promise<ChainReport> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const report = await walkChains(client, serverSecret)
    await client.query('COMMIT')
    client.release()
    return report
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function walkChains(client: pg.PoolClient, serverSecret: Buffer): Promise<ChainReport> {
  const { rows: tenants } = await client.query<{ tenant_id: string }>(
    `SELECT tenant_id FROM audit_heads UNION SELECT DISTINCT tenant_id FROM audit_seals ORDER BY 1`,
  )
  const faults: ChainFault[] = await findUnsealed(client)
  let rows = 0
  for (const { tenant_id } of tenants) {
    const walk = await walkChain(client, serverSecret, tenant_id)
    rows += walk.rows
    faults.push(...walk.faults)
  }
  return { tenants: tenants.length, rows, faults }
}

async function walkChain(
  client: pg.PoolClient,
  serverSecret: Buffer,
  tenantId: string,
): Promise<{ rows: number; faults: ChainFault[] }> {
  const faults: ChainFault[] = []
  let [count, hash]: [bigint, Buffer] = [0n, chainStart]
  for (;;) {
    const page = await readSeals(client, tenantId, count)
    for (const { sequence, seal, event } of page) {
      if (sequence !== count + 1n) {
        faults.push({ tenantId, sequence: count + 1n, fault: 'the seal is missing' })
      }
      if (!event) faults.push({ tenantId, sequence, fault: 'the event was removed' })
      else if (!isSameHash(sealHash(hash, sequence, event), seal)) {
        faults.push({ tenantId, sequence, fault: 'the event or its place was changed' })
      }
      ;[count, hash] = [sequence, seal]
    }
    if (page.length < batchMax) break
  }
  const headFault = await judgeHead(client, serverSecret, { tenantId, count, hash })
  if (headFault) faults.push({ tenantId, sequence: null, fault: headFault })
  return { rows: Number(count), faults }
}

async function readSeals(
  client: pg.PoolClient,
  tenantId: string,
  after: bigint,
): Promise<{ sequence: bigint; seal: Buffer; event: object | undefined }[]> {
  const { rows } = await client.query<{ sequence: string; seal: Buffer; id: string | null }>(
    `SELECT s.sequence, s.hash AS seal, e.* FROM audit_seals s
     LEFT JOIN (SELECT ${eventColumns} FROM audit_events) e ON e.id = s.audit_event_id
     WHERE s.tenant_id = $1 AND s.sequence > $2 ORDER BY s.sequence LIMIT $3`,
    [tenantId, after, batchMax],
  )
  return rows.map(({ sequence, seal, ...event }) => ({
    sequence: BigInt(sequence),
    seal,
    event: event.id === null ? undefined : event,
  }))
}

async function judgeHead(
  client: pg.PoolClient,
  serverSecret: Buffer,
  found: { tenantId: string; count: bigint; hash: Buffer },
): Promise<string | undefined> {
  const { rows } = await client.query<{ count: string; hash: Buffer; signature: Buffer }>(
    'SELECT count, hash, signature FROM audit_heads WHERE tenant_id = $1',
    [found.tenantId],
  )
  const [head] = rows
  if (!head) return 'the head was removed'
  const signed = { tenantId: found.tenantId, count: BigInt(head.count), hash: head.hash }
  if (!isSameHash(signHead(serverSecret, signed), head.signature)) return 'the head was changed'
  if (signed.count !== found.count || !isSameHash(head.hash, found.hash)) {
    return `the head counts ${signed.count} events, the chain has ${found.count}`
  }
  return undefined
}

/**
 * Events that neither are sealed nor wait for it came in past the trigger; what waits for its seal and is
 * no event was removed.
 */
async function findUnsealed(client: pg.PoolClient): Promise<ChainFault[]> {
  const { rows } = await client.query<{ tenant_id: string; id: string; removed: boolean }>(
    `SELECT e.tenant_id, e.id, false AS removed FROM audit_events e
     WHERE NOT EXISTS (SELECT 1 FROM audit_seals s WHERE s.audit_event_id = e.id)
       AND NOT EXISTS (SELECT 1 FROM audit_unsealed w WHERE w.audit_event_id = e.id)
     UNION ALL
     SELECT w.tenant_id, w.audit_event_id, true FROM audit_unsealed w
     WHERE NOT EXISTS (SELECT 1 FROM audit_events e WHERE e.id = w.audit_event_id)
     LIMIT 1000`,
  )
  return rows.map(({ tenant_id, id, removed }) => ({
    tenantId: tenant_id,
    sequence: null,
    fault: removed
      ? `event ${id}, which waited for its seal, was removed`
      : `event ${id} is neither sealed nor waiting for it`,
  }))
}
