import {
  earlierStartsMs,
  type ApprovalRefusal,
  type DeviceLoginState,
  type EarlierStart,
} from '@hosting/core/device-login'
import { createUuidv7 } from '@hosting/core/ids'
import type { Client, Database, Transaction } from '../database/database.ts'
import { Prisma } from '../generated/client.ts'

/**
 * A device login with its state at `now`, by the database's clock, which is authoritative for all
 * processes.
 */
export interface DeviceLoginRow {
  readonly id: string
  readonly clientName: string
  readonly ip: string
  readonly userAgent: string
  readonly status: DeviceLoginState
  readonly access: DeviceAccess | null
  /** The accounts that the approver limited the key to. Empty: not limited. */
  readonly accounts: string[]
  readonly decidedById: string | null
  readonly approverMark: Uint8Array | null
  /** The address from which the person decided. */
  readonly decidedIp: string | null
  /** Which policy refused the approved login; null if none did. */
  readonly refusal: ApprovalRefusal | null
  /** The session in which the person decided. */
  readonly decidedSessionId: string | null
  readonly lastPolledAt: Date | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly now: Date
}

/** The access that a person can grant to a device login. */
export type DeviceAccess = 'full' | 'read_only'

const columns = Prisma.sql`
  id::text, client_name AS "clientName", ip, user_agent AS "userAgent", status::text, access,
  accounts::text[] AS accounts,
  decided_by_id::text AS "decidedById", approver_mark AS "approverMark",
  decided_session_id::text AS "decidedSessionId", decided_ip AS "decidedIp", refusal, last_polled_at AS "lastPolledAt",
  created_at AS "createdAt", expires_at AS "expiresAt", clock_timestamp() AS now`

/** The recent device logins of an address, and the current time. */
export interface DeviceStarts {
  readonly earlier: readonly EarlierStart[]
  readonly now: Date
}

/**
 * Returns the device logins that an address started recently.
 *
 * @param ipGroup - the address group that the limits count.
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
 * As {@link findDeviceStarts}, with a lock: until the transaction ends, no other login is started from
 * the address, so concurrent starts cannot exceed the limits.
 */
export async function lockDeviceStarts(tx: Transaction, ipGroup: string): Promise<DeviceStarts> {
  await lockName(tx, `device-start:${ipGroup}`)
  return findDeviceStarts(tx, ipGroup)
}

/** Takes a lock on the name until the transaction ends. */
const lockName = (tx: Transaction, name: string): Promise<unknown> =>
  tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`

async function readClock(client: Client): Promise<Date> {
  const rows = await client.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
  return rows[0]!.now
}

/** The fields of a new device login. */
export interface NewDeviceLogin {
  readonly deviceCodeHash: Uint8Array
  readonly userCodeHash: Uint8Array
  readonly clientName: string
  readonly ip: string
  readonly ipGroup: string
  readonly userAgent: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Stores a new device login. Returns whether it was stored: it is not if its user code is in use. */
export async function createDeviceLogin(
  client: Client,
  { deviceCodeHash, userCodeHash, ...request }: NewDeviceLogin,
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

/** Finds a device login by one of its codes, in any state. */
export async function findDeviceLogin(
  client: Client,
  by: { readonly deviceCodeHash: Uint8Array } | { readonly userCodeHashes: readonly Uint8Array[] },
): Promise<DeviceLoginRow | undefined> {
  const condition =
    'deviceCodeHash' in by
      ? Prisma.sql`device_code_hash = ${by.deviceCodeHash}`
      : Prisma.sql`user_code_hash = ANY (${by.userCodeHashes}::bytea[])`
  const rows = await client.$queryRaw<DeviceLoginRow[]>`
    SELECT ${columns} FROM device_requests WHERE ${condition}`
  return rows[0]
}

/**
 * Records a poll whose response is `authorization_pending`.
 *
 * @param request - the login as it was read. If it was polled or decided since, nothing is recorded.
 * @returns whether the poll was recorded.
 */
export async function markDevicePoll(
  client: Client,
  { id, lastPolledAt }: Pick<DeviceLoginRow, 'id' | 'lastPolledAt'>,
): Promise<boolean> {
  const count = await client.$executeRaw`
    UPDATE device_requests SET last_polled_at = clock_timestamp()
    WHERE id = ${id}::uuid AND status = 'pending' AND expires_at > clock_timestamp()
      AND last_polled_at IS NOT DISTINCT FROM ${lastPolledAt}::timestamptz`
  return count === 1
}

/** A person's decision, with the person. */
export interface DeviceDecision {
  readonly userId: string
  readonly sessionId: string
  readonly ip: string
  /** The approved access, with the mark of the approver's password. `undefined` to deny. */
  readonly approval:
    | {
        readonly access: DeviceAccess
        readonly accounts: readonly string[]
        readonly mark: Uint8Array
      }
    | undefined
}

/**
 * Decides a device login unless it is already decided or has expired. Only one of several concurrent
 * decisions succeeds.
 *
 * @returns the decided login, or `undefined` if nothing was decided.
 */
export async function decideDeviceLogin(
  tx: Transaction,
  id: string,
  { userId, sessionId, ip, approval }: DeviceDecision,
): Promise<DeviceLoginRow | undefined> {
  const rows = await tx.$queryRaw<DeviceLoginRow[]>`
    UPDATE device_requests
    SET status = ${approval ? 'approved' : 'denied'}::device_request_status,
      access = ${approval?.access ?? null}, accounts = ${[...(approval?.accounts ?? [])]}::uuid[], approver_mark = ${approval?.mark ?? null},
      decided_by_id = ${userId}::uuid, decided_session_id = ${sessionId}::uuid, decided_ip = ${ip}, decided_at = clock_timestamp()
    WHERE id = ${id}::uuid AND status = 'pending' AND expires_at > clock_timestamp()
    RETURNING ${columns}`
  return rows[0]
}

/**
 * Marks an approved device login as delivered, for the key that the transaction is about to create. Only
 * one of several concurrent polls succeeds.
 *
 * @returns the login, or `undefined` if it is no longer available.
 */
export async function deliverDeviceLogin(
  tx: Transaction,
  id: string,
  keyId: string,
): Promise<DeviceLoginRow | undefined> {
  const rows = await tx.$queryRaw<DeviceLoginRow[]>`
    UPDATE device_requests SET status = 'delivered', api_key_id = ${keyId}
    WHERE id = ${id}::uuid AND status = 'approved' AND expires_at > clock_timestamp()
    RETURNING ${columns}`
  return rows[0]
}

/**
 * Denies a device login that this transaction marked as delivered, because the approval is no longer
 * valid.
 *
 * @param refusal - the policy that does not allow it, if it is one.
 */
export async function storeDenial(
  tx: Transaction,
  id: string,
  refusal: ApprovalRefusal | undefined,
): Promise<void> {
  const data = { status: 'denied', apiKeyId: null, refusal: refusal ?? null } as const
  await tx.deviceRequest.update({ where: { id }, data })
}

/**
 * Returns the times of the person's wrong user codes within `withinMs`. Until the transaction ends, the
 * person cannot enter another code.
 */
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

/** Records that the person entered a wrong user code. */
export async function addWrongUserCode(
  tx: Transaction,
  userId: string,
  givenAt: Date,
): Promise<void> {
  await tx.wrongUserCode.create({ data: { id: createUuidv7(), userId, givenAt } })
}

/**
 * Deletes device logins that are more than a day old, whose outcomes remain in the audit log, and wrong
 * user codes that no longer count.
 *
 * @param wrongCodesMs - how long wrong user codes count.
 * @returns the number of device logins deleted.
 */
export async function dropOldDeviceLogins(
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
