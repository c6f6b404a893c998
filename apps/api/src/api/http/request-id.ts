import { requestIdOf, withLogFields } from '@hosting/process'
import type { RequestHandler } from 'express'

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in the response, the logs and the audit log. */
    id: string
  }
}

/** Sets the id of every request, in its response and in each of its log lines. */
export const nameRequest: RequestHandler = (req, res, next) => {
  req.id = requestIdOf(req)
  res.setHeader('X-Request-Id', req.id)
  withLogFields({ requestId: req.id }, next)
}
