import type { DenialCause, DeviceLoginState } from '@hosting/core/device-login'
import { createUuidv7 } from '@hosting/core/ids'
import type { Scope } from '@hosting/core/scopes'
import { types, type RowOf } from '../database/column-types.ts'
import type { Client, Database, Transaction } from '../database/database.ts'
import { defineDeletion, defineDeletionBy, type DeletionOptions } from '../database/deletion.ts'
import { defineStatement, runIn } from '../database/statement.ts'

const { bytes, float, listOf, named, notNull, nullable, text, time, uuid } = types

const loginTypes = {
  id: uuid,
  clientName: text,
  /** The `client_id` of the start; null if the start named none. */
  clientId: nullable(text),
  /** The scopes that the client limited the key to. Empty: not limited. */
  requestedScopes: listOf(named<Scope>('text')),
  ip: text,
  userAgent: text,
  status: notNull(named<DeviceLoginState>('text'), 'the column is never null'),
  access: nullable(named<DeviceAccess>('text')),
  /** The accounts that the approver limited the key to. Empty: not limited. */
  accounts: notNull(listOf(text), 'the column is never null'),
  decidedById: nullable(uuid),
  approverMark: nullable(bytes),
  /** The address from which the person decided. */
  decidedIp: nullable(text),
  /** Which policy denied the approved login; null if none did. */
  denialCause: nullable(named<DenialCause>('text')),
  /** The session in which the person decided. */
  decidedSessionId: nullable(uuid),
  lastPolledAt: nullable(time),
  createdAt: time,
  expiresAt: time,
  now: notNull(time, 'clock_timestamp()'),
}

/**
 * A device login with its state at `now`, by the database's clock, which is authoritative for all
 * processes.
 */
export type DeviceLoginRow = RowOf<typeof loginTypes>

/** The access that a person can grant to a device login. */
export type DeviceAccess = 'full' | 'read_only'

const columns = `
  id, client_name, client_id, requested_scopes, ip, user_agent, status::text, access, accounts::text[] AS accounts, decided_by_id, approver_mark,
  decided_ip, refusal AS denial_cause, decided_session_id, last_polled_at, created_at, expires_at, clock_timestamp() AS now`

/** The fields of a new device login. */
export interface NewDeviceLogin {
  readonly deviceCodeHash: Uint8Array
  readonly userCodeHash: Uint8Array
  readonly clientName: string
  /** Only this client can poll; null: any. */
  readonly clientId: string | null
  /** The scopes that the client limits the key to. Empty: not limited. */
  readonly requestedScopes: readonly Scope[]
  readonly ip: string
  readonly addressGroup: string
  readonly userAgent: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Stores a new device login. Returns whether it was stored: it is not if its user code is in use. */
export async function createDeviceLogin(
  client: Client,
  { deviceCodeHash, userCodeHash, requestedScopes, ...login }: NewDeviceLogin,
): Promise<boolean> {
  const { count } = await client.deviceRequest.createMany({
    data: {
      id: createUuidv7(),
      deviceCodeHash: Uint8Array.from(deviceCodeHash),
      userCodeHash: Uint8Array.from(userCodeHash),
      requestedScopes: [...requestedScopes],
      ...login,
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
  const [login] =
    'deviceCodeHash' in by
      ? await runIn(client, findByDeviceCode, { hash: Buffer.from(by.deviceCodeHash) })
      : await runIn(client, findByUserCode, {
          hashes: by.userCodeHashes.map((hash) => Buffer.from(hash)),
        })
  return login
}

/** Returns a login by its device code. Locks nothing. */
const findByDeviceCode = defineStatement({
  name: 'find-device-login',
  takes: { hash: bytes },
  gives: loginTypes,
  sql: `SELECT ${columns} FROM device_requests WHERE device_code_hash = :hash`,
})

/** Returns a login by its user code, under any version of the server secret. Locks nothing. */
const findByUserCode = defineStatement({
  name: 'find-device-login-by-user-code',
  takes: { hashes: listOf(bytes) },
  gives: loginTypes,
  sql: `SELECT ${columns} FROM device_requests WHERE user_code_hash = ANY (:hashes)`,
})

/**
 * Records a poll whose response is `authorization_pending`.
 *
 * @param login - the login as it was read. If it was polled or decided since, nothing is recorded.
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
  const [decided] = await runIn(tx, decideStatement, {
    id,
    status: approval ? 'approved' : 'denied',
    access: approval?.access ?? null,
    accounts: approval?.accounts ?? [],
    mark: approval ? Buffer.from(approval.mark) : null,
    userId,
    sessionId,
    ip,
  })
  return decided
}

/** Decides a pending login and gives it, unless another decision has changed it. */
const decideStatement = defineStatement({
  name: 'decide-device-login',
  takes: {
    id: uuid,
    status: named<'approved' | 'denied'>('device_request_status'),
    access: nullable(text),
    accounts: listOf(uuid),
    mark: nullable(bytes),
    userId: uuid,
    sessionId: uuid,
    ip: text,
  },
  gives: loginTypes,
  sql: `
    UPDATE device_requests
    SET status = :status, access = :access, accounts = :accounts, approver_mark = :mark,
      decided_by_id = :userId, decided_session_id = :sessionId, decided_ip = :ip, decided_at = clock_timestamp()
    WHERE id = :id AND status = 'pending' AND expires_at > clock_timestamp()
    RETURNING ${columns}`,
})

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
  return (await runIn(tx, deliverStatement, { id, keyId }))[0]
}

/** Marks an approved login as delivered and gives it. None: it was delivered, or it expired. */
const deliverStatement = defineStatement({
  name: 'deliver-device-login',
  takes: { id: uuid, keyId: types.keyId },
  gives: loginTypes,
  sql: `
    UPDATE device_requests SET status = 'delivered', api_key_id = :keyId
    WHERE id = :id AND status = 'approved' AND expires_at > clock_timestamp()
    RETURNING ${columns}`,
})

/**
 * Denies a device login that this transaction marked as delivered, because the approval is no longer
 * valid.
 *
 * @param cause - the policy that does not allow it, if it is one.
 */
export async function storeDenial(
  tx: Transaction,
  id: string,
  cause: DenialCause | undefined,
): Promise<void> {
  const data = { status: 'denied', apiKeyId: null, refusal: cause ?? null } as const
  await tx.deviceRequest.update({ where: { id }, data })
}

/**
 * Deletes device logins that are more than a day old, whose outcomes remain in the audit log. Returns their number.
 */
export const dropOldDeviceLogins = defineDeletion({
  name: 'delete-old-device-requests',
  table: 'device_requests',
  where: `created_at < now() - interval '24 hours'`,
})

/**
 * Deletes wrong user codes that no longer count. Returns their number.
 *
 * @param wrongCodesMs - how long wrong user codes count.
 */
export const dropOldWrongCodes = (
  database: Database,
  wrongCodesMs: number,
  options?: DeletionOptions,
): Promise<number> => deleteOldWrongCodes(database, { wrongCodesMs }, options)

/** Deletes wrong user codes that were given some time ago. */
const deleteOldWrongCodes = defineDeletionBy({
  name: 'delete-old-wrong-user-codes',
  table: 'wrong_user_codes',
  takes: { wrongCodesMs: float },
  where: `given_at < now() - :wrongCodesMs * interval '1 ms'`,
})
