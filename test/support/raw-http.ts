import { once } from 'node:events'
import net, { type Socket } from 'node:net'

/** An answer, read from the bytes on the wire. */
export interface RawAnswer {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Connects to the server at a URL. What it answers is read until it closes the connection. */
export async function connectRaw(
  base: string,
): Promise<{ socket: Socket; answers: Promise<RawAnswer[]> }> {
  const { hostname, port } = new URL(base)
  const socket = net.connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A reset is a way of closing, too.
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  const answers = closed.then(() => parseAnswers(Buffer.concat(chunks).toString('latin1')))
  return { socket, answers }
}

/** Sends exactly this text on a connection of its own, and gives what was answered before it was closed. */
export async function sendRaw(base: string, text: string): Promise<RawAnswer[]> {
  const { socket, answers } = await connectRaw(base)
  socket.write(text, 'latin1')
  return answers
}

/** Answers with a Content-Length, or none and no body, one after another. */
function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = text; rest !== '';) {
    const headEnd = rest.indexOf('\r\n\r\n')
    if (headEnd === -1) throw new Error(`not an answer: ${JSON.stringify(rest)}`)
    const [start = '', ...lines] = rest.slice(0, headEnd).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(': ')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
      }),
    )
    const bodyStart = headEnd + 4
    const bodyEnd = bodyStart + Number(headers['content-length'] ?? 0)
    answers.push({
      status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1]),
      headers,
      body: rest.slice(bodyStart, bodyEnd),
    })
    rest = rest.slice(bodyEnd)
  }
  return answers
}
