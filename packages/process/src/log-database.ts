import { inOwnContext } from './log-context.ts'
import type { Logger } from './logger.ts'

/**
 * Logs the notices of the database: broken connections, missing timeouts, a role that may change the audit log, and the clock.
 *
 * @param name - of the process, which PostgreSQL shows.
 */
export const logDatabase = (log: Logger, name: string) => ({
  name,
  onError: inOwnContext((error: Error) =>
    log.warn({ err: error }, 'an idle database connection was lost'),
  ),
  onWait: (error: unknown) => log.warn({ err: error }, 'waiting for PostgreSQL'),
  onLossySettings: (settings: readonly string[]) =>
    log.warn(
      { settings },
      'PostgreSQL may lose what it has confirmed, and with it accepted events: set fsync, full_page_writes and synchronous_commit to on',
    ),
  onTimeoutWarning: ({ message, error }: { message: string; error?: unknown }) =>
    log.warn({ err: error }, message),
  onAuditLogChangeable: () =>
    log.warn(
      'the database role of this process may change the audit log: an attacker who takes over the process can forge it until the next anchor. Use DATABASE_APP_ROLE to give the processes a role that may only add to it',
    ),
  onPositionsRaised: (sequences: readonly string[]) =>
    log.warn(
      { sequences },
      'sequences were behind what is stored, as after a move by logical replication, and were raised',
    ),
  clock: {
    onError: (error: Error) => log.warn({ err: error }, "the database's clock could not be read"),
    onChange: (isWrong: boolean, differenceMs: number) =>
      isWrong
        ? log.error({ differenceMs }, "the clock of this machine differs from the database's")
        : log.info({ differenceMs }, "the clock of this machine agrees with the database's again"),
  },
})
