import { Problem, problemDocument } from '@hosting/core/problems'
import { isDatabaseUnavailable } from '@hosting/postgres/database'
import type { ErrorRequestHandler, Request, Response } from 'express'
import type { Logger } from '@hosting/process'

/** How long a caller should wait if a part of the service is unavailable, in seconds. */
const retryAfterSeconds = '2'

/** The last handler of an app. Converts any error to a problem document (RFC 9457). */
export function respondWithProblems(log: Logger): ErrorRequestHandler {
  return (error, req, res, _next) => {
    if (res.headersSent) {
      // Express would print the error outside the log. The status is already sent, so close the connection.
      log.error(
        { err: error, requestId: req.id },
        'a request failed because of a defect in its response',
      )
      res.destroy()
      return
    }
    sendProblem(req, res, toProblem(error, req, log))
  }
}

/** Sends a problem document. */
export function sendProblem(req: Request, res: Response, problem: Problem): void {
  for (const [name, value] of Object.entries(problem.headers)) res.setHeader(name, value)
  res.statusCode = problem.status
  res.setHeader('Content-Type', 'application/problem+json')
  const document = problemDocument(problem, { instance: instanceOf(req), requestId: req.id })
  const { codeAsError } = res.locals as { codeAsError?: boolean }
  const withError = codeAsError && problem.status === 400
  res.end(JSON.stringify(withError ? { ...document, error: problem.code } : document))
}

/** The path of the request. */
export const instanceOf = (req: Request): string => req.originalUrl.split('?')[0]!

/** Converts any error to the problem for the response. Logs a defect. */
export function toProblem(error: unknown, req: Pick<Request, 'id'>, log: Logger): Problem {
  if (error instanceof Problem) return error
  // Thrown by Express if the path is not valid percent-encoding.
  if (error instanceof URIError || (error as { status?: number }).status === 400) {
    return new Problem('not_found')
  }
  if (isDatabaseUnavailable(error)) {
    log.warn({ err: error, requestId: req.id }, 'the database is unavailable')
    return new Problem('service_unavailable', { headers: { 'Retry-After': retryAfterSeconds } })
  }
  log.error({ err: error, requestId: req.id }, 'a request failed because of a defect')
  return new Problem('internal_error')
}
