import { newSubjectNoticesMax, subjectsKeptDays } from '@hosting/core/workloads'
import { createHash } from 'node:crypto'
import { types } from '../database/column-types.ts'
import type { Transaction } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import { writeNotice } from '../notices/write-notice.ts'

const { bytes, int, keyId: keyIdType, notNull, text, uuid } = types

/** The workload of an exchange. */
export interface ExchangedWorkload {
  readonly issuer: string
  readonly subject: string
  /** The names and texts of the claims by which it is recognized again. */
  readonly claims: readonly (readonly [name: string, text: string])[]
  readonly ip: string
}

/**
 * Notes the workload of an exchange of a key that the transaction has locked. Notifies the organization's admins if it is
 * new, but of at most {@link newSubjectNoticesMax} workloads in 24 hours.
 */
export async function noteWorkload(
  tx: Transaction,
  keyId: string,
  { issuer, subject, claims, ip }: ExchangedWorkload,
): Promise<void> {
  const hash = createHash('sha256')
    .update(JSON.stringify(claims.toSorted(byName)))
    .digest()
  const details = { issuer, subject: subject.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd'), ip }
  const [seen] = await runIn(tx, noteStatement, { keyId, hash, noticesMax: newSubjectNoticesMax })
  if (!seen) return
  const { tenantId, name, occurrence } = seen
  await writeNotice(tx, {
    type: 'api_key.new_subject',
    occurrence,
    subject: { type: 'api_key', id: keyId, name },
    details,
    to: { adminsOf: tenantId },
  })
}

/** Stores when a workload of a key was seen last. Returns the key if the workload is new and its notice is due. */
const noteStatement = defineStatement({
  name: 'note-workload',
  takes: { keyId: keyIdType, hash: bytes, noticesMax: int },
  gives: { tenantId: uuid, name: text, occurrence: notNull(text, 'concat_ws') },
  sql: `
    WITH seen AS (
      INSERT INTO workload_subjects AS s (key_id, subject_hash, first_exchanged_at, last_exchanged_at)
      VALUES (:keyId, :hash, statement_timestamp(), statement_timestamp())
      ON CONFLICT (key_id, subject_hash) DO UPDATE SET last_exchanged_at = excluded.last_exchanged_at
        WHERE s.last_exchanged_at < excluded.last_exchanged_at - interval '1 day'
      RETURNING first_exchanged_at, first_exchanged_at = last_exchanged_at AS is_new
    )
    SELECT k.tenant_id, k.name,
      concat_ws(' ', k.id, encode(:hash, 'hex'), extract(epoch FROM seen.first_exchanged_at)) AS occurrence
    FROM seen JOIN api_keys k ON k.id = :keyId
    WHERE seen.is_new AND :noticesMax > (
      SELECT count(*) FROM workload_subjects s
      WHERE s.key_id = :keyId AND s.first_exchanged_at > statement_timestamp() - interval '1 day')`,
})

const byName = ([one]: readonly [string, string], [other]: readonly [string, string]): number =>
  one < other ? -1 : 1

/** Deletes workloads that count as new again. Returns their number. */
export const dropOldWorkloads = defineDeletion({
  name: 'delete-old-workload-subjects',
  table: 'workload_subjects',
  where: `last_exchanged_at < now() - make_interval(days => ${subjectsKeptDays})`,
})
