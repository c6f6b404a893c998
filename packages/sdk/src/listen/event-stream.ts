/** A message of a stream of Server-Sent Events. */
export interface StreamMessage {
  /** `message` where it names no other. */
  readonly event: string
  readonly data: string
}

const lengthMax = 4 * 2 ** 20

/**
 * Parses Server-Sent Events (HTML standard, section 9.2.6), as much of them as the API sends: `event` and
 * `data`; comments and other fields are passed over.
 *
 * @throws RangeError for a message that does not end within 4 MiB.
 */
export class EventStreamParser {
  readonly #decoder = new TextDecoder()
  #rest = ''
  #event = ''
  #data: string[] = []
  #length = 0

  /** Takes the next bytes, and gives the messages that end in them. */
  push(bytes: Uint8Array): StreamMessage[] {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true })
    // A carriage return at the end may be half of a line's end.
    const lines = text.split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop()!
    const messages = lines.flatMap((line) => this.#take(line))
    if (this.#rest.length + this.#length > lengthMax) throw new RangeError('A message is too long.')
    return messages
  }

  #take(line: string): StreamMessage[] {
    if (line === '') return this.#end()
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!
    if (field === 'event') this.#event = value
    if (field === 'data') this.#data.push(value)
    this.#length += line.length
    return []
  }

  #end(): StreamMessage[] {
    const message = { event: this.#event || 'message', data: this.#data.join('\n') }
    const isWhole = this.#data.length > 0
    this.#event = ''
    this.#data = []
    this.#length = 0
    return isWhole ? [message] : []
  }
}
