/** The two clocks of a machine, in ms. */
export interface LocalClocks {
  /** Unix time. It may be wrong, and it jumps when somebody sets it. */
  wallMs(): number
  /** Time since some moment; it never jumps. */
  monotonicMs(): number
}

/** A reading of the reference clock. */
export interface ClockReading {
  /** The local wall clock, as {@link Clock.readWallMs} gives it, just before the question was sent. */
  readonly sentMs: number
  /** The same clock just after the answer arrived. */
  readonly receivedMs: number
  /** What the reference clock answered, in Unix ms. */
  readonly referenceMs: number
}

/** A local clock that differs from the reference clock by more than this, in ms, is wrong. */
export const clockDifferenceMsMax = 5_000

/** The wall clock and the monotonic clock part by this much, in ms, only when somebody sets the wall clock. */
const stepMsMin = 500

/**
 * A clock that follows a reference clock: the local wall clock, corrected by the difference that was measured last.
 * While the local clock agrees with the readings, it is used as it is. When it jumps between two readings, the
 * monotonic clock carries the time on.
 */
export class Clock {
  readonly #local: LocalClocks
  /** The wall clock less the monotonic clock, as of the last look: it changes when the wall clock is set. */
  #wallLessMonotonicMs: number
  /** The reference clock less the local wall clock. */
  #offsetMs = 0

  constructor(local: LocalClocks = machineClocks) {
    this.#local = local
    this.#wallLessMonotonicMs = local.wallMs() - local.monotonicMs()
  }

  /** The time of the reference clock, in whole Unix ms. */
  nowMs(): number {
    return Math.floor(this.readWallMs() + this.#offsetMs)
  }

  /** The local wall clock, in Unix ms. A jump since the last look is taken out of {@link nowMs} here. */
  readWallMs(): number {
    const wallMs = this.#local.wallMs()
    const wallLessMonotonicMs = wallMs - this.#local.monotonicMs()
    const stepMs = wallLessMonotonicMs - this.#wallLessMonotonicMs
    if (Math.abs(stepMs) >= stepMsMin) this.#offsetMs -= stepMs
    this.#wallLessMonotonicMs = wallLessMonotonicMs
    return wallMs
  }

  /**
   * Corrects the clock by a reading. It moves no further than the reading proves: an answer that took long says
   * little. The local clock shows whole ms, hence the further one. A reading during which it was set back is dropped.
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
 * The clock of this process, which follows the database's. Everything that is stored, or compared with what is
 * stored, takes its time from here or from the database itself.
 */
export const processClock = new Clock()

/** The present time by the database's clock, in Unix ms: see {@link processClock}. */
export const currentTimeMs = (): number => processClock.nowMs()

/** The present time by the database's clock: see {@link processClock}. */
export const currentTime = (): Date => new Date(processClock.nowMs())
