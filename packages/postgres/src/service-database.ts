import type { Config } from '@hosting/core'
import { mayRewriteAuditLog } from './audit-rights.ts'
import { followDatabaseClock, type ClockFollower } from './follow-clock.ts'
import { checkTimeZone, openDatabase, type Database } from './database.ts'
import { makePartitions } from './partitions.ts'
import { ensureServerTimeouts, type TimeoutNotice } from './server-timeouts.ts'

/** What {@link openServiceDatabase} reports. */
export interface ServiceDatabaseEvents {
  /** An idle connection broke. */
  readonly onError: (error: Error) => void
  /** Not all of the server's timeouts are in force. */
  readonly onTimeoutNotice: (notice: TimeoutNotice) => void
  /** The role of the process may change what the audit log holds. */
  readonly onAuditLogChangeable: () => void
  readonly clock: Parameters<typeof followDatabaseClock>[1]
}

/** What {@link openServiceDatabase} gives. */
export interface ServiceDatabase {
  readonly database: Database
  readonly clock: ClockFollower
  /** Whether the role of the process may change what the audit log holds. */
  readonly mayRewriteAuditLog: boolean
}

/**
 * Opens the database of a process of the service: checks the time zone and the timeouts of its sessions, follows
 * its clock, makes the partitions ahead, and reports a role that may change the audit log.
 *
 * @throws Error if the database cannot be reached, or its sessions are not in UTC.
 */
export async function openServiceDatabase(
  { databaseUrl, databaseDirectUrl }: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>,
  { onError, onTimeoutNotice, onAuditLogChangeable, clock: clockEvents }: ServiceDatabaseEvents,
): Promise<ServiceDatabase> {
  const directUrl = databaseDirectUrl?.reveal()
  const database = openDatabase(databaseUrl.reveal(), { directUrl, onError })
  await checkTimeZone(database)
  const notice = await ensureServerTimeouts(database)
  if (notice) onTimeoutNotice(notice)
  const clock = await followDatabaseClock(database, clockEvents)
  await makePartitions(database)
  const mayRewrite = await mayRewriteAuditLog(database)
  if (mayRewrite) onAuditLogChangeable()
  return { database, clock, mayRewriteAuditLog: mayRewrite }
}
