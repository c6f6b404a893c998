import type { Config } from '@hosting/core'
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
  readonly clock: Parameters<typeof followDatabaseClock>[1]
}

/**
 * Opens the database of a process of the service: checks the time zone and the timeouts of its sessions, follows
 * its clock and makes the partitions ahead.
 *
 * @throws Error if the database cannot be reached, or its sessions are not in UTC.
 */
export async function openServiceDatabase(
  { databaseUrl, databaseDirectUrl }: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>,
  { onError, onTimeoutNotice, clock: clockEvents }: ServiceDatabaseEvents,
): Promise<{ database: Database; clock: ClockFollower }> {
  const directUrl = databaseDirectUrl?.reveal()
  const database = openDatabase(databaseUrl.reveal(), { directUrl, onError })
  await checkTimeZone(database)
  const notice = await ensureServerTimeouts(database)
  if (notice) onTimeoutNotice(notice)
  const clock = await followDatabaseClock(database, clockEvents)
  await makePartitions(database)
  return { database, clock }
}
