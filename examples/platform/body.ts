import type { IncomingMessage } from 'node:http'

/** A request that the caller must change. */
export class BadRequest extends Error {
  readonly status: number

  constructor(status: number) {
    super(`HTTP ${status}`)
    this.status = status
  }
}

const bodyBytesMax = 65_536

/** Reads the body of a request. */
export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new BadRequest(413)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Reads a JSON object. */
export async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = await readText(request)
  try {
    const body = JSON.parse(text) as unknown
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>
  } catch {}
  throw new BadRequest(400)
}
