/** A message of a stream of Server-Sent Events. */
export interface StreamMessage {
  /** `message` if the stream names none. */
  readonly event: string
  readonly data: string
}

const lengthMax = 4 * 2 ** 20

/**
 * Parses Server-Sent Events (HTML standard, section 9.2.6). Reads the fields `event` and `data`; ignores
 * comments and other fields.
 *
 * @throws RangeError for a message longer than 4 MiB.
 */
export class EventStreamParser {
  readonly #decoder = new TextDecoder()
  #rest = ''
  #event = ''
  #data: string[] = []
  #length = 0

  /** Adds bytes and returns the messages that they complete. */
  push(bytes: Uint8Array): StreamMessage[] {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true })
    // A carriage return at the end may be the first half of CRLF.
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
    const isComplete = this.#data.length > 0
    this.#event = ''
    this.#data = []
    this.#length = 0
    return isComplete ? [message] : []
  }
}
