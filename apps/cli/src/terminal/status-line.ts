import type { OutputStream } from '../environment.ts'

const eraseLine = '\r\u001B[K'

/** The last line of a terminal. Show an empty one before something is printed, and the line again after it. */
export class StatusLine {
  readonly #stdout: OutputStream

  constructor(stdout: OutputStream) {
    this.#stdout = stdout
  }

  /** The most characters that fit: a line that wraps could not be erased. */
  get width(): number {
    return Math.max(0, (this.#stdout.columns ?? 80) - 1)
  }

  /** @param text - fits into the width. Empty: no line. */
  show(text: string): void {
    this.#stdout.write(eraseLine + text)
  }
}
