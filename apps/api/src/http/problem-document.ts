import { Problem, problemDocument } from '@hosting/core'
import { isDatabaseUnavailable } from '@hosting/postgres'
import type { ErrorRequestHandler, Request, Response } from 'express'
import type { Logger } from '@hosting/process'

/** How long a caller should wait when a part of the service is away, in seconds. */
const retryAfterSeconds = '2'

/** The last handler of an app: whatever was thrown becomes a problem document (RFC 9457). */
export function answerProblems(log: Logger): ErrorRequestHandler {
  return (error, req, res, _next) => {
    if (res.headersSent) {
      // Express would print it, in no line of the log. That the answer is cut short is all that can be said.
      log.error({ err: error, requestId: req.id }, 'a request failed by a defect in its answer')
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

/** What was thrown, as the problem that is told of it; a defect is logged. */
export function toProblem(error: unknown, req: Request, log: Logger): Problem {
  if (error instanceof Problem) return error
  // Express' own refusals: a path that is not valid percent-encoding names nothing.
  if (error instanceof URIError || (error as { status?: number }).status === 400) {
    return new Problem('not_found')
  }
  if (isDatabaseUnavailable(error)) {
    log.warn({ err: error, requestId: req.id }, 'the database is unavailable')
    return new Problem('service_unavailable', { headers: { 'Retry-After': retryAfterSeconds } })
  }
  log.error({ err: error, requestId: req.id }, 'a request failed by a defect')
  return new Problem('internal_error')
}
