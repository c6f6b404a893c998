import { once } from 'node:events'
import net, { type Socket } from 'node:net'

/** A response, parsed from the bytes on the wire. */
export interface RawResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Connects to the server at a URL. Reads its output until the server closes the connection. */
export async function connectRaw(
  base: string,
): Promise<{ socket: Socket; responses: Promise<RawResponse[]> }> {
  const { hostname, port } = new URL(base)
  const socket = net.connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A reset also closes the connection.
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  const responses = closed.then(() => parseResponses(Buffer.concat(chunks).toString('latin1')))
  return { socket, responses }
}

/** Sends exactly this text on a new connection, and returns what the server sent before the connection closed. */
export async function sendRaw(base: string, text: string): Promise<RawResponse[]> {
  const { socket, responses } = await connectRaw(base)
  socket.write(text, 'latin1')
  return responses
}

/** Parses consecutive responses, each with a Content-Length or without a body. */
function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = []
  for (let rest = text; rest !== '';) {
    const headEnd = rest.indexOf('\r\n\r\n')
    if (headEnd === -1) throw new Error(`not a response: ${JSON.stringify(rest)}`)
    const [start = '', ...lines] = rest.slice(0, headEnd).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(': ')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
      }),
    )
    const bodyStart = headEnd + 4
    const bodyEnd = bodyStart + Number(headers['content-length'] ?? 0)
    responses.push({
      status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1]),
      headers,
      body: rest.slice(bodyStart, bodyEnd),
    })
    rest = rest.slice(bodyEnd)
  }
  return responses
}
