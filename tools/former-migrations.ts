import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'

/** The migrations that the first two of prisma/migrations replace, with the SHA-256 of their files. */
export const formerMigrations: Readonly<Record<string, string>> = {
  '20261120000000_tables': '93ea03a82842c6e8e07302a0f8faddbac0b9079f27c065afe01143eb56986881',
  '20261120000001_partitions_and_rules':
    'd444a34b7204835fd1d0d89f3f57df0626928e79dca6c14b28b5fd09e1b03529',
  '20261120100000_gate_audit_idempotency':
    '0fb4e4921d9ca520e964412f8a0051fb6e0bdd8deeac1e1140a44f85831e13b9',
  '20261120150000_recoveries': 'd798500db6d8aba67172e2221f37711201299e341eb854da3bb72da3e9d0e875',
  '20261120200000_retention_and_history':
    'a5af5fe38d7a064581502f8fdcc71142e5a0e4451dd24ecb01c6ce4e31416813',
  '20261121000000_lanes': '6df201e8967be939e501f3aebbb7d1e1681d79858a6918fa7a975559ce79d33d',
  '20261121000000_sessions': '52ce8eb5a5ecfa8fb716693b06ea3606c1647306ba4e4f565003ffac1d1b22f6',
  '20261121100000_device_login': '38ab7fa98ec13a85a6d40bb86725351d71b607efed65bee1222062df01158bed',
  '20261121110000_dead_deliveries':
    '90561566b476c0f67ccfc93d56f13e4bb06a11afacccc1179b74b62565550779',
  '20261122000000_webhook_listeners':
    'c38f035f548612e861a978c6dfed7fb5c68daaf271311621bf886f6fb16136b4',
  '20261123000000_utc': '4fdd804dc60db8d7e4d8db0d4930365cc827bc07dd01c295bc5acb6a30604006',
  '20261123100000_trace_context':
    'd330e16a24e74ded1cc7388b253013174da0c1f83cf6e9a8b796a5ec16c72a33',
  '20261124000000_ordered_ids': '568c2d69b099d4e39533c2b3742274b53f87da34d08a6ae43121ed2d30c3e254',
  '20261124100000_exact_due_times':
    '7448f55737a70184044990d6f0cc1fb25a151df8902cdef06c7e193deab55c4c',
  '20261124200000_answers_as_written':
    'b84ad177ee408b8c863142b7a90d70b08a2aa8ba969443af378153b568a795b4',
  '20261125010000_endpoint_wakeups':
    'e8cdde2a0b39b1977125031714f6ee95393906d1445394be690f85c8856407d1',
  '20261125020000_emptied_endpoints':
    'f5d72d1f53169de9e5d22efd3f8cb7cc8343fa34e660e2060e767bd290b02b14',
  '20261125020001_unemptied_endpoints_index':
    'cd14b5417c73f9f844130daad63164ae3c5d5655ef9f8233081c6f03d39da48a',
  '20261125020002_emptied_endpoints_index':
    '853c98babf09bd04829d11bd26ab9430a59acbab46e0eb5e61c9e74eb452c3ce',
  '20261125020003_pending_list_index':
    'be6836e5ea3ed35b14a2e0f65067cf135cd5255190cc6dbfa6ad44142d46cc13',
  '20261125020004_pending_tenant_index':
    '42b0082770b60ed725d7d9a469b9c20995794b059603ad056bf428da72315757',
  '20261125020005_attempt_stats':
    '651c69f4825a798b7e59aa34b397d33dd383de2d5fd9020bf1d0614b3007affe',
  '20261125020006_attempt_stats_backfill':
    '25371552b09be575550fbe2347d89a568aae5839937b7bb8a11ca5afa28ff3af',
  '20261125020007_recovery_rounds':
    '41c948f1b942149ca3b232657d40372e44c3896bd3dec3c498762f0eaddd1b72',
  '20261125030000_times_by_the_database':
    'ad1546df4f9dc2c6d6fbf0460c209cff3b9d90e435d5e4900dbebb9068c22bec',
  '20261125040000_audit_chain': '641648f2ddd28812683d691fbcee4048c7c73f29218fe91197025a49e60ba85f',
  '20261125040001_refusal_limits':
    'd6f817295d0d6a51b251fa6fbd766505629d8eb6ea9e92bef1665a9a60ccdbb2',
  '20261125040002_revocation_attempts':
    'e8d022a0953cc1ae6b63f509fde41c8b72fc7368b243aa234d2f5dd9b1a52bb8',
  '20261125040003_listener_callers':
    '2a7b64bd1ffecf1fc4de7a0b3b50af44d85cd243a7ee1bb35090f2b1f918b3d5',
  '20261125060000_approval_session':
    'b2af79f9f2d05c6cd288a57af9d0bf03e19cdd5cd437ebf9fd6323692d7db776',
}

/** They create the same schema as the former ones. */
const squashed = ['20261122193000_tables', '20261122193100_functions_and_triggers']

interface Row {
  readonly name: string
  readonly checksum: string
  readonly finished: boolean
}

/**
 * Replaces the history of a database that has all former migrations with the squashed ones, and changes nothing else
 * (docs/decisions/0047).
 *
 * @returns whether it replaced the history.
 * @throws Error if the database has only some of the former migrations, or others with the same names.
 */
export async function adoptFormerHistory(
  client: Client,
  migrations: readonly { readonly name: string; readonly checksum: string }[],
): Promise<boolean> {
  const names = Object.keys(formerMigrations)
  const { rows } = await client.query<Row>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE migration_name = ANY ($1) AND rolled_back_at IS NULL`,
    [[...names, ...squashed]],
  )
  const isSquashed = rows.some(({ name }) => squashed.includes(name))
  if (rows.length === 0 || isSquashed) return false
  requireComplete(rows)
  const adopted = migrations.filter(({ name }) => squashed.includes(name))
  await client.query('BEGIN')
  await client.query('DELETE FROM _prisma_migrations WHERE migration_name = ANY ($1)', [names])
  for (const { name, checksum } of adopted) {
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
       VALUES ($1, $2, $3, now())`,
      [randomUUID(), checksum, name],
    )
  }
  await client.query('COMMIT')
  return true
}

function requireComplete(rows: readonly Row[]): void {
  const names = Object.keys(formerMigrations)
  const finished = new Map(
    rows.filter((row) => row.finished).map(({ name, checksum }) => [name, checksum]),
  )
  const missing = names.find((name) => !finished.has(name))
  if (missing !== undefined) {
    throw new Error(
      `The database has ${finished.size} of the ${names.length} migrations that this version has replaced: ` +
        `${missing} is missing. Migrate it first with the last version that has ${names.at(-1)}`,
    )
  }
  const changed = names.find((name) => finished.get(name) !== formerMigrations[name])
  if (changed !== undefined) {
    throw new Error(
      `Migration ${changed} of this database is not the one of any released version: its SHA-256 is recorded as ` +
        `${finished.get(changed)} instead of ${formerMigrations[changed]}. Nothing was changed`,
    )
  }
}
