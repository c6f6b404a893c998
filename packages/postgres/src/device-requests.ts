import {
  createUuidv7,
  earlierStartsMs,
  type DeviceRequestState,
  type EarlierStart,
} from '@hosting/core'
import type { Client, Database, Transaction } from './database.ts'
import { Prisma } from './generated/client.ts'

/** A device login, as it stood at `now` by the database's clock, which decides for all processes. */
export interface DeviceRequestRow {
  readonly id: string
  readonly clientName: string
  readonly ip: string
  readonly userAgent: string
  readonly status: DeviceRequestState
  readonly access: DeviceAccess | null
  readonly decidedById: string | null
  readonly approverMark: Uint8Array | null
  /** The session in which it was decided. */
  readonly decidedSessionId: string | null
  readonly lastPolledAt: Date | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly now: Date
}

/** What a person may give a device login. */
export type DeviceAccess = 'full' | 'read_only'

const columns = Prisma.sql`
  id::text, client_name AS "clientName", ip, user_agent AS "userAgent", status::text, access,
  decided_by_id::text AS "decidedById", approver_mark AS "approverMark",
  decided_session_id::text AS "decidedSessionId", last_polled_at AS "lastPolledAt",
  created_at AS "createdAt", expires_at AS "expiresAt", clock_timestamp() AS now`

/** What the address started lately, and the time that it is. */
export interface DeviceStarts {
  readonly earlier: readonly EarlierStart[]
  readonly now: Date
}

/**
 * What an address started lately.
 *
 * @param ipGroup - the address that the limits count.
 */
export async function findDeviceStarts(client: Client, ipGroup: string): Promise<DeviceStarts> {
  const now = await readClock(client)
  const earlier = await client.$queryRaw<EarlierStart[]>`
    SELECT created_at AS "createdAt", expires_at AS "expiresAt", status = 'pending' AS pending
    FROM device_requests
    WHERE ip_group = ${ipGroup} AND created_at > ${new Date(now.getTime() - earlierStartsMs)}`
  return { earlier, now }
}

/**
 * The same. Until the transaction ends, nothing else is started from the address, so that the limits hold
 * however many start at once.
 */
export async function lockDeviceStarts(tx: Transaction, ipGroup: string): Promise<DeviceStarts> {
  await lockName(tx, `device-start:${ipGroup}`)
  return findDeviceStarts(tx, ipGroup)
}

/** Waits for whoever works under the name, and keeps others waiting. */
const lockName = (tx: Transaction, name: string): Promise<unknown> =>
  tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`

async function readClock(client: Client): Promise<Date> {
  const rows = await client.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
  return rows[0]!.now
}

/** A device login as it is started. */
export interface NewDeviceRequest {
  readonly deviceCodeHash: Uint8Array
  readonly userCodeHash: Uint8Array
  readonly clientName: string
  readonly ip: string
  readonly ipGroup: string
  readonly userAgent: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Stores a new device login; gives whether it did, which it does not if its user code is taken. */
export async function createDeviceRequest(
  client: Client,
  { deviceCodeHash, userCodeHash, ...request }: NewDeviceRequest,
): Promise<boolean> {
  const { count } = await client.deviceRequest.createMany({
    data: {
      id: createUuidv7(),
      deviceCodeHash: Uint8Array.from(deviceCodeHash),
      userCodeHash: Uint8Array.from(userCodeHash),
      ...request,
    },
    skipDuplicates: true,
  })
  return count === 1
}

/** The device login of one of its codes, in whatever state. */
export async function findDeviceRequest(
  client: Client,
  by: { readonly deviceCodeHash: Uint8Array } | { readonly userCodeHashes: readonly Uint8Array[] },
): Promise<DeviceRequestRow | undefined> {
  const condition =
    'deviceCodeHash' in by
      ? Prisma.sql`device_code_hash = ${by.deviceCodeHash}`
      : Prisma.sql`user_code_hash = ANY (${by.userCodeHashes}::bytea[])`
  const rows = await client.$queryRaw<DeviceRequestRow[]>`
    SELECT ${columns} FROM device_requests WHERE ${condition}`
  return rows[0]
}

/**
 * Marks a poll that is answered `authorization_pending`.
 *
 * @param request - as it was read; if it was polled or decided since, nothing is marked.
 * @returns whether it was marked.
 */
export async function markDevicePoll(
  client: Client,
  { id, lastPolledAt }: Pick<DeviceRequestRow, 'id' | 'lastPolledAt'>,
): Promise<boolean> {
  const count = await client.$executeRaw`
    UPDATE device_requests SET last_polled_at = clock_timestamp()
    WHERE id = ${id}::uuid AND status = 'pending' AND expires_at > clock_timestamp()
      AND last_polled_at IS NOT DISTINCT FROM ${lastPolledAt}::timestamptz`
  return count === 1
}

/** What a person decided, and who it is. */
export interface DeviceDecision {
  readonly userId: string
  readonly sessionId: string
  readonly ip: string
  /** What is approved, with the mark of the approver's password; `undefined` to refuse. */
  readonly approval: { readonly access: DeviceAccess; readonly mark: Uint8Array } | undefined
}

/**
 * Decides a device login, unless it is decided or has expired: of many who decide at once, one does.
 *
 * @returns the decided login, or `undefined` if nothing was decided.
 */
export async function decideDeviceRequest(
  tx: Transaction,
  id: string,
  { userId, sessionId, ip, approval }: DeviceDecision,
): Promise<DeviceRequestRow | undefined> {
  const rows = await tx.$queryRaw<DeviceRequestRow[]>`
    UPDATE device_requests
    SET status = ${approval ? 'approved' : 'denied'}::device_request_status,
      access = ${approval?.access ?? null}, approver_mark = ${approval?.mark ?? null},
      decided_by_id = ${userId}::uuid, decided_session_id = ${sessionId}::uuid, decided_ip = ${ip}, decided_at = clock_timestamp()
    WHERE id = ${id}::uuid AND status = 'pending' AND expires_at > clock_timestamp()
    RETURNING ${columns}`
  return rows[0]
}

/**
 * Hands an approved device login over, for the key that the transaction is to make: of many who poll at
 * once, one is handed it.
 *
 * @returns the login, or `undefined` if it is no longer to be had.
 */
export async function deliverDeviceRequest(
  tx: Transaction,
  id: string,
  keyId: string,
): Promise<DeviceRequestRow | undefined> {
  const rows = await tx.$queryRaw<DeviceRequestRow[]>`
    UPDATE device_requests SET status = 'delivered', api_key_id = ${keyId}
    WHERE id = ${id}::uuid AND status = 'approved' AND expires_at > clock_timestamp()
    RETURNING ${columns}`
  return rows[0]
}

/** Takes back a hand-over of this transaction, since the approval no longer holds. */
export async function denyDeviceRequest(tx: Transaction, id: string): Promise<void> {
  await tx.deviceRequest.update({ where: { id }, data: { status: 'denied', apiKeyId: null } })
}

/** When the person gave wrong user codes within so many ms; until the transaction ends it can give no other code. */
export async function lockUserCodeGuesses(
  tx: Transaction,
  userId: string,
  withinMs: number,
): Promise<{ wrongAt: Date[]; now: Date }> {
  await lockName(tx, `user-code:${userId}`)
  const now = await readClock(tx)
  const rows = await tx.wrongUserCode.findMany({
    where: { userId, givenAt: { gt: new Date(now.getTime() - withinMs) } },
    select: { givenAt: true },
  })
  return { wrongAt: rows.map(({ givenAt }) => givenAt), now }
}

/** Remembers that the person gave a wrong user code. */
export async function addWrongUserCode(
  tx: Transaction,
  userId: string,
  givenAt: Date,
): Promise<void> {
  await tx.wrongUserCode.create({ data: { id: createUuidv7(), userId, givenAt } })
}

/**
 * Forgets device logins of over a day ago, of which the audit log keeps what came of them, and wrong user
 * codes that no longer count.
 *
 * @param wrongCodesMs - how long these count.
 * @returns how many device logins were forgotten.
 */
export async function dropOldDeviceRequests(
  { pool }: Database,
  wrongCodesMs: number,
): Promise<number> {
  await pool.query(`DELETE FROM wrong_user_codes WHERE given_at < now() - $1 * interval '1 ms'`, [
    wrongCodesMs,
  ])
  const { rowCount } = await pool.query(
    `DELETE FROM device_requests WHERE created_at < now() - interval '24 hours'`,
  )
  return rowCount ?? 0
}
