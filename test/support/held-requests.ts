import { connectRaw, type RawResponse } from './raw-http.ts'

/** A request that was sent except for the rest of its body. */
export interface HeldRequest {
  readonly url: string
  readonly verb: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The response to a held request. */
export interface HeldResponse {
  readonly status: number
  readonly headers: RawResponse['headers']
  /** From a problem document. */
  readonly code: string | undefined
}

/**
 * Sends requests up to the first byte of their bodies: the server has authenticated them, and waits for the body.
 *
 * @param passBy - a request to the same process that completes after the held ones were authenticated.
 * @returns a function that sends the rest of every body and returns the responses.
 */
export async function holdRequests(
  requests: readonly HeldRequest[],
  passBy: () => Promise<unknown>,
): Promise<() => Promise<HeldResponse[]>> {
  const held = await Promise.all(requests.map(hold))
  await passBy()
  return () => Promise.all(held.map((finish) => finish()))
}

async function hold({ url, verb, path, headers, body }: HeldRequest) {
  const { socket, responses } = await connectRaw(url)
  const fields = {
    Host: new URL(url).host,
    Connection: 'close',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${verb} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body.slice(0, 1)}`)
  return async (): Promise<HeldResponse> => {
    socket.write(body.slice(1))
    const [response] = await responses
    if (!response) throw new Error('The connection was closed without a response.')
    return { status: response.status, headers: response.headers, code: codeOf(response) }
  }
}

function codeOf({ headers, body }: RawResponse): string | undefined {
  if (headers['content-type'] !== 'application/problem+json') return undefined
  return (JSON.parse(body) as { code: string }).code
}
