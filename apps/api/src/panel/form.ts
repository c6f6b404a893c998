/** What a form was submitted with. A field that was left empty counts as left out. */
export class Form {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>> = {}) {
    this.#values = values
  }

  /** Every field with its value or values. */
  entries(): [name: string, value: unknown][] {
    return Object.entries(this.#values)
  }

  /** A field's text without the space around it; `undefined` if there is none. */
  text(name: string): string | undefined {
    return this.verbatim(name)?.trim() || undefined
  }

  /** A field's text as it was typed, as passwords are read; `undefined` if it is empty. */
  verbatim(name: string): string | undefined {
    return this.all(name).at(-1) || undefined
  }

  /** Every value of a field that may stand several times, such as check boxes. */
  all(name: string): string[] {
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined
    return [value].flat().filter((entry): entry is string => typeof entry === 'string')
  }

  /** The entries of a text area, one to a line; `undefined` if there is none. */
  lines(name: string): string[] | undefined {
    const lines = this.text(name)
      ?.split(/[\n,]/)
      .map((line) => line.trim())
    return lines?.filter((line) => line !== '')
  }

  /** A whole number; what is none is left for the schema to refuse. */
  number(name: string): number | string | undefined {
    const text = this.text(name)
    return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : text
  }
}
