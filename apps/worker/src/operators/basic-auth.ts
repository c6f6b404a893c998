import { createHash, timingSafeEqual } from 'node:crypto'
import type { RequestHandler } from 'express'

/** Lets those through who give the token as the password of HTTP Basic, under any name (RFC 7617). */
export function requireOpsToken(token: string): RequestHandler {
  const expected = hash(token)
  return (req, res, next) => {
    const password = passwordOf(req.get('authorization'))
    // Hashes are of one length, so that the time tells nothing.
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
