import type { WorkloadConditions } from '@hosting/core/workloads'
import { types, type RowOf } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'

const { bool, int, jsonb, listOf, notNull, nullable, text, time, uuid } = types

/** What a workload key exchanges for its tokens. */
export interface NewWorkloadIdentity {
  readonly issuer: string
  readonly conditions: WorkloadConditions
  readonly tokenLifetimeSeconds: number
  /** Whether each identity token is exchanged once. */
  readonly singleUse: boolean
  /** Null: the audience that contains the id of the key. */
  readonly audience: string | null
}

/** What a workload key exchanges for its tokens, as its table stores it. */
export const toWorkloadData = ({ conditions, ...identity }: NewWorkloadIdentity) => ({
  ...identity,
  conditions: toJson(conditions),
})

const toJson = (conditions: WorkloadConditions) => conditions as Record<string, string | string[]>

/** The members of a workload identity that can change. */
export type WorkloadIdentityChange = Partial<Omit<NewWorkloadIdentity, 'issuer' | 'audience'>>

/** Changes what a key exchanges for its tokens. The transaction has locked the key. */
export async function updateWorkloadIdentity(
  tx: Transaction,
  keyId: string,
  { conditions, ...change }: WorkloadIdentityChange,
): Promise<void> {
  const data = { ...change, ...(conditions && { conditions: toJson(conditions) }) }
  await tx.workloadIdentity.update({ where: { keyId }, data })
}

/** A workload key with what decides about its exchanges. */
export interface WorkloadKey extends NewWorkloadIdentity {
  readonly id: string
  readonly tenantId: string
  readonly scopes: readonly string[]
  readonly expiresAt: Date | null
  readonly serviceUser: { readonly id: string; readonly name: string }
  /** Whether the key is valid now. */
  readonly usable: boolean
}

/** Finds a workload key of any organization, in any state. */
export async function findWorkloadKey(
  client: Client,
  id: string,
): Promise<WorkloadKey | undefined> {
  const [row] = await runIn(client, findStatement, { id })
  return row && toWorkloadKey(row)
}

/** Locks a workload key until the transaction ends, and returns it. */
export async function lockWorkloadKey(
  tx: Transaction,
  id: string,
): Promise<WorkloadKey | undefined> {
  await tx.$queryRaw`SELECT 1 FROM api_keys WHERE id = ${id}::bpchar FOR NO KEY UPDATE`
  return findWorkloadKey(tx, id)
}

/** Returns a workload key with its person and whether it is usable. Locks nothing. */
const findStatement = defineStatement({
  name: 'find-workload-key',
  takes: { id: types.keyId },
  gives: {
    id: types.keyId,
    tenantId: uuid,
    scopes: notNull(listOf(text), 'every key has scopes'),
    expiresAt: nullable(time),
    userId: uuid,
    userName: text,
    issuer: text,
    conditions: jsonb<WorkloadConditions>(),
    tokenLifetimeSeconds: int,
    singleUse: bool,
    audience: nullable(text),
    usable: notNull(bool, 'of columns that are never null, and IS NULL'),
  },
  sql: `
    SELECT k.id, k.tenant_id, k.scopes, k.expires_at, u.id AS user_id, u.name AS user_name,
      w.issuer, w.conditions, w.token_lifetime_seconds, w.single_use, w.audience,
      k.enabled AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
        AND u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS usable
    FROM workload_identities w
      JOIN api_keys k ON k.id = w.key_id JOIN users u ON u.id = k.user_id JOIN tenants t ON t.id = k.tenant_id
    WHERE w.key_id = :id`,
})

const toWorkloadKey = ({
  userId,
  userName,
  ...key
}: RowOf<typeof findStatement.gives>): WorkloadKey => ({
  ...key,
  serviceUser: { id: userId, name: userName },
})
