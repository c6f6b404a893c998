import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

/** An event of the stream. */
export interface ListenedEvent {
  readonly headers: Record<string, string>
  readonly body: string
}

/** A stream of `GET /webhooks/listen`, read as text, so that the tests see the bytes on the wire. */
export interface TestListener {
  readonly headers: IncomingHttpHeaders
  /** The first event of the stream. */
  readonly secret: string
  /** The next event. @throws Error if the stream ended. */
  next(): Promise<ListenedEvent>
  /** Skips events, and returns why the service ended the stream. */
  ending(): Promise<{ code: string; detail: string }>
  /** Waits for a comment. */
  heartbeat(): Promise<void>
  /** Stops reading from the connection until `resume`. */
  pause(): void
  resume(): void
  leave(): Promise<void>
}

/** The response to a refused listener or, with status 200, to one that ended before its first event. */
export interface Refused {
  readonly status: number
  readonly code: string
  readonly detail: string
}

interface Message {
  readonly event: string
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON of any shape
  readonly data: any
}

/** Listens with the credentials in the headers. */
export async function listen(
  url: string,
  headers: Record<string, string>,
  query = '',
): Promise<TestListener | Refused> {
  const request = http.request(`${url}/api/v1/webhooks/listen${query}`, { headers, agent: false })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  if (response.statusCode !== 200) {
    const text = (await response.toArray()).join('')
    const isProblem = response.headers['content-type']?.includes('json') === true
    // A proxy responds with a page of its own.
    const { code, detail } = (isProblem ? JSON.parse(text) : { code: '', detail: text }) as Refused
    return { status: response.statusCode!, code, detail }
  }
  const nextBlock = readBlocks(response)
  const nextMessage = async (): Promise<Message> => {
    for (;;) {
      const block = await nextBlock()
      if (!block.startsWith(':')) return parse(block)
    }
  }
  const first = await nextMessage()
  if (first.event === 'end') return { status: 200, ...(first.data as Omit<Refused, 'status'>) }
  return {
    headers: response.headers,
    secret: first.data.secret as string,
    async next() {
      const { event, data } = await nextMessage()
      if (event !== 'message') throw new Error(`The stream ended: ${JSON.stringify(data)}`)
      return data as ListenedEvent
    },
    async ending() {
      for (;;) {
        const { event, data } = await nextMessage()
        if (event === 'end') return data as { code: string; detail: string }
      }
    },
    async heartbeat() {
      while (!(await nextBlock()).startsWith(':'));
    },
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    async leave() {
      if (response.closed) return
      const closed = new Promise((resolve) => response.once('close', resolve))
      response.destroy()
      await closed
    },
  }
}

/** Listens with a key. @throws Error if it is refused. */
export async function listenWith(url: string, token: string, query = ''): Promise<TestListener> {
  const result = await listen(url, { authorization: `Bearer ${token}` }, query)
  if ('secret' in result) return result
  throw new Error(`The listener was refused: ${JSON.stringify(result)}`)
}

/** Yields the blocks between empty lines as they arrive. @throws Error when the stream ends. */
function readBlocks(response: IncomingMessage): () => Promise<string> {
  const blocks: string[] = []
  let rest = ''
  let over = false
  let wake = (): void => undefined
  response.on('data', (text: string) => {
    const parts = (rest + text).split('\n\n')
    rest = parts.pop()!
    blocks.push(...parts)
    wake()
  })
  response.on('close', () => {
    over = true
    wake()
  })
  response.on('error', () => undefined)
  return async () => {
    while (blocks.length === 0) {
      if (over) throw new Error('The stream is over.')
      await new Promise<void>((resolve) => (wake = resolve))
    }
    return blocks.shift()!
  }
}

function parse(block: string): Message {
  const lines = block.split('\n')
  const valueOf = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return { event: valueOf('event') ?? 'message', data: JSON.parse(valueOf('data')!) }
}
