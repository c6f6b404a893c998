/** The values of a submitted form. An empty field counts as missing. */
export class SubmittedForm {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>> = {}) {
    this.#values = values
  }

  /** All fields with their values. */
  entries(): [name: string, value: unknown][] {
    return Object.entries(this.#values)
  }

  /** A field's text, trimmed; `undefined` if it is empty. */
  text(name: string): string | undefined {
    return this.verbatim(name)?.trim() || undefined
  }

  /** A field's text exactly as typed, for passwords; `undefined` if it is empty. */
  verbatim(name: string): string | undefined {
    return this.all(name).at(-1) || undefined
  }

  /** All values of a repeatable field, such as a group of checkboxes. */
  all(name: string): string[] {
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined
    return [value].flat().filter((entry): entry is string => typeof entry === 'string')
  }

  /** The entries of a text area, separated by line breaks or commas; `undefined` if it is empty. */
  lines(name: string): string[] | undefined {
    const lines = this.text(name)
      ?.split(/[\n,]/)
      .map((line) => line.trim())
    return lines?.filter((line) => line !== '')
  }

  /** An integer. Other text passes through unchanged; the schema rejects it. */
  number(name: string): number | string | undefined {
    const text = this.text(name)
    return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : text
  }
}

/** Reads a choice between `true` and `false`. Other text passes through unchanged; the schema rejects it. */
export const toBoolean = (text: string | undefined): boolean | string | undefined =>
  text === 'true' || text === 'false' ? text === 'true' : text
