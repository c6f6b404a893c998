import type { Config } from '@hosting/core'
import { mayRewriteAuditLog } from '../audit/audit-rights.ts'
import { followDatabaseClock, type ClockFollower } from '../deliveries/follow-clock.ts'
import { requireUtc, openDatabase, type Database } from './database.ts'
import { makePartitions } from './partitions.ts'
import { ensureServerTimeouts, type TimeoutNotice } from './server-timeouts.ts'

/** The callbacks of {@link openServiceDatabase}. */
export interface ServiceDatabaseEvents {
  /** Called when an idle connection breaks. */
  readonly onError: (error: Error) => void
  /** Called when some of the server's timeouts are not in effect. */
  readonly onTimeoutNotice: (notice: TimeoutNotice) => void
  /** Called when the role of the process can change the audit log. */
  readonly onAuditLogChangeable: () => void
  readonly clock: Parameters<typeof followDatabaseClock>[1]
}

/** The result of {@link openServiceDatabase}. */
export interface ServiceDatabase {
  readonly database: Database
  readonly clock: ClockFollower
  /** Whether the role of the process can change the audit log. */
  readonly mayRewriteAuditLog: boolean
}

/**
 * Opens the database for a process of the service: checks the time zone and timeouts of its sessions,
 * follows its clock, creates the partitions ahead, and reports a role that can change the audit log.
 *
 * @throws Error if the database is unreachable, or its sessions are not in UTC.
 */
export async function openServiceDatabase(
  { databaseUrl, databaseDirectUrl }: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>,
  { onError, onTimeoutNotice, onAuditLogChangeable, clock: clockEvents }: ServiceDatabaseEvents,
): Promise<ServiceDatabase> {
  const directUrl = databaseDirectUrl?.reveal()
  const database = openDatabase(databaseUrl.reveal(), { directUrl, onError })
  await requireUtc(database)
  const notice = await ensureServerTimeouts(database)
  if (notice) onTimeoutNotice(notice)
  const clock = await followDatabaseClock(database, clockEvents)
  await makePartitions(database)
  const mayRewrite = await mayRewriteAuditLog(database)
  if (mayRewrite) onAuditLogChangeable()
  return { database, clock, mayRewriteAuditLog: mayRewrite }
}
