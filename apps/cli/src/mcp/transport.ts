import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

/** Standard input and output, with the requests that have no response yet. */
export class AnsweringTransport extends StdioServerTransport {
  readonly #unanswered = new Set<RequestId>()
  readonly #ended: Promise<unknown>
  #answer: () => void = () => undefined

  override onmessage = (message: JSONRPCMessage): void => this.#receive(message)

  constructor(stdin: Readable, stdout: Writable) {
    super(stdin, stdout)
    this.#ended = once(stdin, 'end')
  }

  /** Resolves once the client has closed standard input and every request of it has a response. */
  async finished(): Promise<void> {
    await this.#ended
    if (this.#unanswered.size > 0) {
      await new Promise<void>((resolve) => {
        this.#answer = resolve
      })
    }
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message)
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id)
  }

  #receive(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if ('id' in message) this.#unanswered.add(message.id)
    // A cancelled request has no response.
    if (message.method === 'notifications/cancelled') {
      this.#settle(message.params?.['requestId'] as RequestId)
    }
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id)
    if (this.#unanswered.size === 0) this.#answer()
  }
}
