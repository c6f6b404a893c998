/** The two clocks of a machine, in ms. */
export interface LocalClocks {
  /** Unix time. It may be wrong, and it jumps when the clock is set. */
  wallMs(): number
  /** Time since an arbitrary start. It never jumps. */
  monotonicMs(): number
}

/** A reading of the reference clock. */
export interface ClockReading {
  /** The local wall clock, from {@link Clock.readWallMs}, just before the query was sent. */
  readonly sentMs: number
  /** The same clock just after the response arrived. */
  readonly receivedMs: number
  /** The time that the reference clock returned, in Unix ms. */
  readonly referenceMs: number
}

/** The local clock is wrong if it differs from the reference clock by more than this, in ms. */
export const clockDifferenceMsMax = 5_000

/** If the wall clock moves this much, in ms, against the monotonic clock, the wall clock was set. */
const stepMsMin = 500

/**
 * A clock that follows a reference clock: the local wall clock, corrected by the last measured difference.
 * While the local clock agrees with the readings, it is used unchanged. If it jumps between two readings, the
 * monotonic clock continues the time.
 */
export class Clock {
  readonly #local: LocalClocks
  /** The wall clock minus the monotonic clock at the last read. It changes when the wall clock is set. */
  #wallLessMonotonicMs: number
  /** The reference clock minus the local wall clock. */
  #offsetMs = 0

  constructor(local: LocalClocks = machineClocks) {
    this.#local = local
    this.#wallLessMonotonicMs = local.wallMs() - local.monotonicMs()
  }

  /** The time of the reference clock, in whole Unix ms. */
  nowMs(): number {
    return Math.floor(this.readWallMs() + this.#offsetMs)
  }

  /** The local wall clock, in Unix ms. Compensates {@link nowMs} for a jump since the last read. */
  readWallMs(): number {
    const wallMs = this.#local.wallMs()
    const wallLessMonotonicMs = wallMs - this.#local.monotonicMs()
    const stepMs = wallLessMonotonicMs - this.#wallLessMonotonicMs
    if (Math.abs(stepMs) >= stepMsMin) this.#offsetMs -= stepMs
    this.#wallLessMonotonicMs = wallLessMonotonicMs
    return wallMs
  }

  /**
   * Corrects the clock by a reading. The correction is limited to what the reading proves: a slow response is
   * inaccurate. The local clock has a resolution of 1 ms, which is added to the tolerance. A reading during which
   * the local clock was set back is dropped.
   */
  adjust({ sentMs, receivedMs, referenceMs }: ClockReading): void {
    if (receivedMs < sentMs) return
    const [leastMs, mostMs] = [referenceMs - receivedMs - 1, referenceMs - sentMs]
    this.#offsetMs = Math.min(Math.max(this.#offsetMs, leastMs), mostMs)
  }

  /** How far the local wall clock is ahead of the reference clock, in ms; negative if it is behind. */
  differenceMs(): number {
    this.readWallMs()
    return 0 - this.#offsetMs
  }

  /** Whether the local wall clock differs from the reference clock by more than {@link clockDifferenceMsMax}. */
  isWrong(): boolean {
    return Math.abs(this.differenceMs()) > clockDifferenceMsMax
  }
}

const machineClocks: LocalClocks = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

/**
 * The clock of this process. It follows the database's clock. Every time that is stored, or compared with a stored
 * time, comes from here or from the database itself.
 */
export const processClock = new Clock()

/** The current time by the database's clock, in Unix ms. See {@link processClock}. */
export const currentTimeMs = (): number => processClock.nowMs()

/** The current time by the database's clock. See {@link processClock}. */
export const currentTime = (): Date => new Date(processClock.nowMs())
