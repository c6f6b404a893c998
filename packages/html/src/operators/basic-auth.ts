import { createHash, timingSafeEqual } from 'node:crypto'
import type { RequestHandler } from 'express'

/** Requires the token as the password of HTTP Basic, with any user name (RFC 7617). */
export function requireOpsToken(token: string): RequestHandler {
  const expected = hash(token)
  return (req, res, next) => {
    const password = passwordOf(req.get('authorization'))
    // Hashes have the same length, so the time of the comparison reveals nothing.
    if (password !== undefined && timingSafeEqual(hash(password), expected)) {
      next()
      return
    }
    res.setHeader('WWW-Authenticate', 'Basic realm="operations", charset="UTF-8"')
    res.status(401).type('text').send('These pages need OPS_TOKEN as the password.\n')
  }
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

function passwordOf(header = ''): string | undefined {
  const encoded = /^Basic +([\w+/-]+=*) *$/i.exec(header)?.[1]
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon === -1 ? undefined : pair.slice(colon + 1)
}
