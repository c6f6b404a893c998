const flushEveryMs = 2_000

/** Writes what a process has counted every two seconds, one write at a time, and once more when it is closed. */
export class RegularFlush {
  readonly #write: () => Promise<void>
  readonly #timer: NodeJS.Timeout
  #writing: Promise<void> | undefined

  /** @param write - writes what was counted. It handles its errors. */
  constructor(write: () => Promise<void>) {
    this.#write = write
    this.#timer = setInterval(() => void this.#flush(), flushEveryMs).unref()
  }

  /** Waits for the running write, then writes what was counted since. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writing
    await this.#flush()
  }

  #flush(): Promise<void> {
    return (this.#writing ??= this.#write().finally(() => (this.#writing = undefined)))
  }
}
