import type { Logger } from './logger.ts'

/** Logs that the clock of this machine is wrong or right again, and that it could not be compared. */
export const noteClock = (log: Logger) => ({
  onError: (error: Error) => log.warn({ err: error }, "the database's clock could not be read"),
  onChange: (isWrong: boolean, differenceMs: number) =>
    isWrong
      ? log.error({ differenceMs }, "the clock of this machine differs from the database's")
      : log.info({ differenceMs }, "the clock of this machine agrees with the database's again"),
})
