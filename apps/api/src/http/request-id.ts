import { createUuidv7 } from '@hosting/core'
import { withLogFields } from '@hosting/process'
import type { RequestHandler } from 'express'

declare module 'express-serve-static-core' {
  interface Request {
    /** Names the request in the answer, the logs and the audit log. */
    id: string
  }
}

/** Names every request, on its answer and on each log line that it causes; a caller's own value is kept if it is well-formed (contract §1). */
export const nameRequest: RequestHandler = (req, res, next) => {
  const given = req.headers['x-request-id']
  req.id =
    typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : createUuidv7()
  res.setHeader('X-Request-Id', req.id)
  res.setHeader('Cache-Control', 'no-store')
  withLogFields({ requestId: req.id }, next)
}
