import { currentTime } from '@hosting/core/clock'
import { types } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { defineHotStatement, runPrepared } from '../database/statement.ts'

const { listOf, text, uuid } = types

/** The custom headers of an endpoint. `encrypted` comes from the secrets store and is bound to `id`. */
export interface EncryptedHeaders {
  readonly id: string
  /** In lower case, sorted. */
  readonly names: readonly string[]
  readonly encrypted: string
}

/** Replaces the custom headers of an endpoint that the transaction has locked; `undefined` removes them. */
export async function replaceEndpointHeaders(
  tx: Transaction,
  endpointId: string,
  headers: EncryptedHeaders | undefined,
): Promise<void> {
  await tx.webhookHeaders.deleteMany({ where: { endpointId } })
  if (!headers) return
  const { id, names, encrypted } = headers
  await tx.webhookHeaders.create({
    data: { id, endpointId, names: [...names], encrypted, createdAt: currentTime() },
  })
}

/** Whether an endpoint has custom headers. */
export const hasEndpointHeaders = async (tx: Transaction, endpointId: string): Promise<boolean> =>
  (await tx.webhookHeaders.count({ where: { endpointId } })) > 0

/** Returns encrypted custom headers by id. The headers of an id never change, so callers may cache them. */
export async function findEncryptedHeaders(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runPrepared(database, encryptedStatement, { ids })
  return new Map(rows.map(({ id, encrypted }) => [id, encrypted]))
}

/** Returns encrypted custom headers by their ids. Locks nothing. */
const encryptedStatement = defineHotStatement({
  name: 'find-encrypted-headers',
  takes: { ids: listOf(uuid) },
  gives: { id: uuid, encrypted: text },
  sql: 'SELECT id, encrypted FROM webhook_headers WHERE id = ANY (:ids)',
})

/** Whether a valid signing secret of the endpoint has the older form, which Standard Webhooks cannot use. */
export async function hasOlderSecret(
  tx: Transaction,
  endpointId: string,
  now: Date,
): Promise<boolean> {
  const valid = { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }
  return (
    (await tx.webhookSecret.count({ where: { endpointId, standardForm: false, ...valid } })) > 0
  )
}
