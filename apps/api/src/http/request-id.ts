import { requestIdOf, withLogFields } from '@hosting/process'
import type { RequestHandler } from 'express'

declare module 'express-serve-static-core' {
  interface Request {
    /** Names the request in the answer, the logs and the audit log. */
    id: string
  }
}

/** Names every request, on its answer and on each log line that it causes. */
export const nameRequest: RequestHandler = (req, res, next) => {
  req.id = requestIdOf(req)
  res.setHeader('X-Request-Id', req.id)
  withLogFields({ requestId: req.id }, next)
}
