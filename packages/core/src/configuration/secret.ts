import { inspect } from 'node:util'

/** A value that prints as `[secret]` if it is logged, serialized or interpolated by mistake. */
export class Secret<T> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  /** Returns the value. Call it only where the value is used; pass the `Secret` everywhere else. */
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
