import { inspect } from 'node:util'

/** A value that prints as `[secret]` wherever it is logged, serialised or interpolated by mistake. */
export class Secret<T> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  /** The value itself. Call it where the value is used, and pass the `Secret` everywhere else. */
  reveal(): T {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
