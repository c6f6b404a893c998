import { styleText } from 'node:util'
import type { Environment, OutputStream } from '../environment.ts'
import type { Failure } from '../failure.ts'
import { redact } from './redact.ts'
import { toTable, type Columns } from './table.ts'
import { printable, toneStyles, type Tone } from './text.ts'

type Style = Parameters<typeof styleText>[0]

/** Formats a value as JSON, in lines or on one line. A filter may give several texts. */
export type JsonFormat = (value: unknown, indent: number) => readonly string[]

/** The whole value. */
export const printJson: JsonFormat = (value, indent) => [JSON.stringify(value, null, indent)]

/** Prints what a command has to say: results to stdout, everything else to stderr. */
export class Output {
  readonly json: boolean
  readonly #format: JsonFormat
  readonly #env: Environment['env']
  readonly #stdout: OutputStream
  readonly #stderr: OutputStream
  readonly #now: () => number

  /** @param format - with one, programs read the output. */
  constructor({ env, stdout, stderr, now }: Environment, format: JsonFormat | undefined) {
    this.json = format !== undefined
    this.#format = format ?? printJson
    this.#env = env
    this.#stdout = stdout
    this.#stderr = stderr
    this.#now = now
  }

  /** Prints the result of a command: `value` to programs, the lines to users. */
  result(value: unknown, lines: readonly string[]): void {
    if (this.json) this.document(value)
    else this.lines(lines)
  }

  /** Prints a result that is JSON for users too. */
  document(value: unknown): void {
    this.lines(this.#format(value, 2))
  }

  /** Lays out a table that fits the terminal; in a pipe or a file every value is whole. */
  table<Row>(rows: readonly Row[], columns: Columns<Row>): string[] {
    const { isTTY, columns: width } = this.#stdout
    if (isTTY !== true || width === undefined) return toTable(rows, columns)
    const paint = (tone: Tone, text: string) => this.styled(toneStyles[tone], text)
    return toTable(rows, columns, { width, nowMs: this.#now(), paint })
  }

  /** Prints one of the results of a command that keeps running, as a line of JSON. */
  jsonLine(value: unknown): void {
    this.lines(this.#format(value, 0))
  }

  /** Prints a part of a file as it is. */
  text(text: string): void {
    this.#stdout.write(text)
  }

  lines(lines: readonly string[]): void {
    for (const line of lines) this.#stdout.write(`${line}\n`)
  }

  /** Prints additional information, which programs do not get. */
  note(text: string): void {
    if (!this.json) this.#printError(text)
  }

  /** Prints a warning, with `--json` too. */
  warn(text: string): void {
    this.#printError(this.styled('yellow', `! ${text}`, this.#stderr))
  }

  fail({ silent, ...failure }: Failure): void {
    if (this.json) {
      this.#stderr.write(`${JSON.stringify({ error: failure }, this.#redacted)}\n`)
      return
    }
    if (silent) return
    const { message, errors = [], request_id: requestId, hint } = failure
    const text = message.split('\n').map(printable).join('\n')
    this.#printError(`${this.styled('red', '✗', this.#stderr)} ${text}`)
    for (const { pointer, message: what, option, value } of errors) {
      const where = [option ?? pointer, value].filter((part) => part !== undefined).join(' ')
      this.#printError(`  ${printable(where)}: ${printable(what)}`)
    }
    for (const line of hint?.split('\n') ?? []) this.#printError(`  ${line}`)
    if (requestId !== undefined) this.#printError(`  Request ${printable(requestId)}`)
  }

  readonly #redacted = (_name: string, value: unknown): unknown =>
    typeof value === 'string' ? redact(value, this.#env) : value

  #printError(line: string): void {
    this.#stderr.write(`${redact(line, this.#env)}\n`)
  }

  /** Colors the text if the stream is a terminal that supports it (https://no-color.org). */
  styled(style: Style, text: string, stream: OutputStream = this.#stdout): string {
    const { NO_COLOR: noColor, TERM: term } = this.#env
    const plain = Boolean(noColor) || term === 'dumb' || stream.isTTY !== true
    return plain ? text : styleText(style, text, { validateStream: false })
  }
}
