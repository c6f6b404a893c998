import { toErrorDescription } from '@hosting/core/oauth'
import { Problem, problemDocument, unavailable } from '@hosting/core/problems'
import { isDatabaseUnavailable } from '@hosting/postgres/database'
import type { ErrorRequestHandler, Request, Response } from 'express'
import type { Logger } from '@hosting/process'
import type { ErrorFormat } from '../routes/route.ts'
import { instanceOf } from './idempotency.ts'
import { setStatus } from './run-route.ts'

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
  setStatus(res, problem.status)
  const { errorFormat } = res.locals as { errorFormat?: ErrorFormat }
  res.setHeader('Content-Type', errorMediaType(errorFormat))
  const document = problemDocument(problem, {
    ...(!isPassedOn(problem, errorFormat) && { instance: instanceOf(req) }),
    requestId: req.id,
  })
  res.end(JSON.stringify({ ...document, ...errorMembers(problem, errorFormat) }))
}

/** Whether the platform sends the problem to its customer. It keeps the other problems, which are its own. */
const isPassedOn = ({ status }: Problem, format: ErrorFormat | undefined): boolean =>
  format === 'passed_on' && [401, 403, 429].includes(status)

/** The media type of errors. Clients of OAuth read only `application/json` (RFC 6749, section 5.2). */
export const errorMediaType = (format: ErrorFormat | undefined): string =>
  format === 'oauth' ? 'application/json' : 'application/problem+json'

/** The members that clients of OAuth read (RFC 6749, section 5.2). */
export function errorMembers({ code, status, message }: Problem, format: ErrorFormat | undefined) {
  if (format === 'oauth') return { error: code, error_description: toErrorDescription(message) }
  return format === 'device' && status === 400 ? { error: code } : {}
}

/** Converts any error to the problem for the response. Logs a defect. */
export function toProblem(error: unknown, req: Pick<Request, 'id'>, log: Logger): Problem {
  if (error instanceof Problem) return error
  // Thrown by Express if the path is not valid percent-encoding.
  if (error instanceof URIError || (error as { status?: number }).status === 400) {
    return new Problem('not_found')
  }
  if (isDatabaseUnavailable(error)) {
    log.warn({ err: error, requestId: req.id }, 'the database is unavailable')
    return unavailable()
  }
  log.error({ err: error, requestId: req.id }, 'a request failed because of a defect')
  return new Problem('internal_error')
}
