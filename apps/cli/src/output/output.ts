import { styleText } from 'node:util'
import type { Failure } from '../failure.ts'
import type { OutputStream, Surroundings } from '../surroundings.ts'
import { printable } from './printable.ts'

type Style = Parameters<typeof styleText>[0]

/** Where a command says what it has to say: answers on stdout, everything else on stderr. */
export class Output {
  readonly json: boolean
  readonly #env: Surroundings['env']
  readonly #stdout: OutputStream
  readonly #stderr: OutputStream

  constructor({ env, stdout, stderr }: Surroundings, json: boolean) {
    this.json = json
    this.#env = env
    this.#stdout = stdout
    this.#stderr = stderr
  }

  /** The answer of a command: `value` for programs, the lines for people. */
  answer(value: unknown, lines: readonly string[]): void {
    if (this.json) this.#stdout.write(`${JSON.stringify(value, null, 2)}\n`)
    else this.lines(lines)
  }

  /** One of several answers of a command that goes on, as a line of JSON. */
  jsonLine(value: unknown): void {
    this.#stdout.write(`${JSON.stringify(value)}\n`)
  }

  lines(lines: readonly string[]): void {
    for (const line of lines) this.#stdout.write(`${line}\n`)
  }

  /** Something by the way, for people alone. */
  note(text: string): void {
    if (!this.json) this.#stderr.write(`${text}\n`)
  }

  /** Something that must be seen, also beside JSON. */
  warn(text: string): void {
    this.#stderr.write(`${this.styled('yellow', `! ${text}`, this.#stderr)}\n`)
  }

  fail(failure: Failure): void {
    if (this.json) {
      this.#stderr.write(`${JSON.stringify({ error: failure })}\n`)
      return
    }
    const { message, errors = [], request_id: requestId, hint } = failure
    const text = message.split('\n').map(printable).join('\n')
    this.#stderr.write(`${this.styled('red', '✗', this.#stderr)} ${text}\n`)
    for (const { pointer, message: what } of errors) {
      this.#stderr.write(`  ${printable(pointer)}  ${printable(what)}\n`)
    }
    if (requestId !== undefined) this.#stderr.write(`  Request ${printable(requestId)}\n`)
    if (hint !== undefined) this.#stderr.write(`  ${hint}\n`)
  }

  /** Coloured where the stream is a terminal that may be (https://no-color.org). */
  styled(style: Style, text: string, stream: OutputStream = this.#stdout): string {
    const { NO_COLOR: noColor, TERM: term } = this.#env
    const plain = Boolean(noColor) || term === 'dumb' || stream.isTTY !== true
    return plain ? text : styleText(style, text, { validateStream: false })
  }
}
