import { processClock, type Clock } from '@hosting/core/clock'
import type { Database } from './database.ts'

/** The interval between measurements, in ms. */
const measureEveryMs = 5_000

/** Regularly compares the clock of this process with the database's clock, until it is stopped. */
export interface ClockFollower {
  stop(): void
}

/** Options of {@link followDatabaseClock}. */
export interface FollowClockOptions {
  /** Called when a measurement fails. Measurements continue. */
  readonly onError: (error: Error) => void
  /** Called when the local clock turns out to be wrong, or correct again. */
  readonly onChange: (isWrong: boolean, differenceMs: number) => void
}

/**
 * Makes the clock of this process follow the database's clock. The clock is corrected when the promise
 * resolves, and measured again every few seconds.
 *
 * @returns the follower, which can stop the measurements.
 * @throws the error of the first measurement.
 */
export async function followDatabaseClock(
  database: Database,
  { onError, onChange }: FollowClockOptions,
  clock: Clock = processClock,
): Promise<ClockFollower> {
  let wasWrong = false
  async function measure(): Promise<void> {
    await measureClock(database, clock)
    const isWrong = clock.isWrong()
    if (isWrong !== wasWrong) onChange(isWrong, clock.differenceMs())
    wasWrong = isWrong
  }
  await measure()
  let timer = setTimeout(repeat, measureEveryMs).unref()
  let stopped = false
  function repeat(): void {
    void measure()
      .catch(onError)
      .finally(() => {
        if (!stopped) timer = setTimeout(repeat, measureEveryMs).unref()
      })
  }
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** Reads the database's clock once and corrects the local clock. */
export async function measureClock({ pool }: Database, clock: Clock): Promise<void> {
  const client = await pool.connect()
  try {
    const sentMs = clock.readWallMs()
    const { rows } = await client.query<{ now_ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms',
    )
    clock.adjust({ sentMs, receivedMs: clock.readWallMs(), referenceMs: rows[0]!.now_ms })
    client.release()
  } catch (error) {
    client.release(error as Error)
    throw error
  }
}
