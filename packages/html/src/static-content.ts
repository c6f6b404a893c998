import type { Response } from 'express'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Sends the body of a response. Its headers are set before. */
export type SendBody = (res: Response) => void

/** In order of preference. */
const encoders: ReadonlyMap<string, (content: Buffer) => Buffer> = new Map([
  [
    'br',
    (content: Buffer) =>
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  ],
  ['gzip', (content: Buffer) => gzipSync(content)],
])

/** Content that is the same for everyone. It is compressed once per encoding, when a client first accepts it. */
export function staticContent(content: Buffer): SendBody {
  const compressed = new Map<string, Buffer>()
  return (res) => {
    res.vary('Accept-Encoding')
    for (const [name, encode] of encoders) {
      if (res.req.acceptsEncodings(name) !== name) continue
      const body = compressed.get(name) ?? encode(content)
      compressed.set(name, body)
      res.setHeader('Content-Encoding', name)
      res.end(body)
      return
    }
    res.end(content)
  }
}
