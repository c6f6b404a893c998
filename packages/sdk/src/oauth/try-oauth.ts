import { ApiProblem } from '../connection/api-problem.ts'

/**
 * Calls an OAuth endpoint. If it does not exist, calls the operation of the API that does the same: every release of the
 * service has it, and while a service is upgraded, processes of two releases respond at one address.
 */
export async function tryOAuth<Result>(
  standard: () => Promise<Result>,
  own: () => Promise<Result>,
): Promise<Result> {
  try {
    return await standard()
  } catch (error) {
    if (!isUnserved(error)) throw error
    return own()
  }
}

/**
 * Whether the OAuth endpoint did not process the request: it is unknown to the service, a gateway in front of the service
 * does not pass it on, or it rejects the credential of that gateway (`invalid_client`).
 */
function isUnserved(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false
  const { status, code } = error
  const isUnknownPath = status === 404 || status === 405
  const isFromElsewhere = code === 'unexpected_answer' && status < 500
  return isUnknownPath || isFromElsewhere || code === 'invalid_client'
}
