import { types } from './column-types.ts'
import type { Database } from './database.ts'
import { defineHotStatement, runPrepared, toSnakeCase } from './statement.ts'

const { bool, notNull } = types

/** Whether there is something to do, by what it is. */
export type DutyWork = Readonly<Record<keyof typeof flags, boolean>>

const flags = {
  /** Key changes that the gate missed. */
  invalidations: 'SELECT FROM gate_invalidations',
  /** Endpoints whose waiting retries are to be made due. */
  retries: 'SELECT FROM webhook_retries',
  recoveries: `SELECT FROM webhook_recoveries WHERE status = 'running'`,
  /** Keys whose descendants are to be revoked. */
  revocations: 'SELECT FROM key_revocations',
  /** Deleted endpoints that may have deliveries. */
  deletions: 'SELECT FROM webhook_endpoints WHERE deleted_at IS NOT NULL AND emptied_at IS NULL',
  unsealed: 'SELECT FROM audit_unsealed',
  /** Incidents whose notices are to be written. */
  incidents: 'SELECT FROM incident_notices',
  mails: 'SELECT FROM notice_mails WHERE ended_at IS NULL AND due_at <= now()',
  /** Counts that are not merged yet, of attempts and of the usage. */
  counts: 'SELECT FROM attempt_batches UNION ALL SELECT FROM usage_batches',
  /** Endpoints that the relay must examine, in either lane. */
  wakeups: `SELECT FROM endpoint_wakeups WHERE NOT slow AND at <= now()
    UNION ALL SELECT FROM endpoint_wakeups WHERE slow AND at <= now()`,
} as const

/** Finds out with one short statement for which duties there is something to do. */
export async function findDutyWork(
  database: Pick<Database, 'pool' | 'hotPool'>,
): Promise<DutyWork> {
  const [row] = await runPrepared(database, workStatement, {})
  return row!
}

const flag = notNull(bool, 'EXISTS')
type Flags = Readonly<Record<keyof typeof flags, typeof flag>>

/** Returns one row with a flag for each kind of work. Locks nothing. Each EXISTS reads at most one live row. */
const workStatement = defineHotStatement({
  name: 'find-duty-work',
  takes: {},
  gives: Object.fromEntries(Object.keys(flags).map((name) => [name, flag])) as Flags,
  sql: `SELECT ${Object.entries(flags)
    .map(([name, rows]) => `EXISTS (${rows}) AS ${toSnakeCase(name)}`)
    .join(', ')}`,
})
