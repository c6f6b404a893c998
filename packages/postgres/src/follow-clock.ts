import { processClock, type Clock } from '@hosting/core'
import type { Database } from './database.ts'

/** How often the difference is measured, in ms. */
const measureEveryMs = 5_000

/** Compares the clock of this process with the database's from time to time, until it is stopped. */
export interface ClockFollower {
  stop(): void
}

/** What {@link followDatabaseClock} is told. */
export interface FollowClockOptions {
  /** Told of a measurement that failed; the next one comes all the same. */
  readonly onError: (error: Error) => void
  /** Told whenever the local clock turns out to be wrong, or to be right again. */
  readonly onChange: (isWrong: boolean, differenceMs: number) => void
}

/**
 * Makes the clock of this process follow the database's. It is right once the promise resolves, and is measured again
 * every few seconds.
 *
 * @returns what ends the measurements.
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

/** Reads the database's clock once and corrects the local one by it. */
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
