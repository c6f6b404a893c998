import type { Problem } from './problem.ts'

/**
 * Converts a problem to a problem document (RFC 9457).
 *
 * @param occurrence - `instance`: the path of the request, empty if it could not be parsed; without one, the document has
 *   none.
 */
export const problemDocument = (
  problem: Problem,
  { instance, requestId }: { instance?: string; requestId: string },
) => ({
  type: `/problems/${problem.code}`,
  title: problem.title,
  status: problem.status,
  detail: problem.message,
  ...(instance !== undefined && { instance }),
  code: problem.code,
  request_id: requestId,
  ...(problem.errors && { errors: problem.errors }),
})
