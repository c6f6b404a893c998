import type { Problem } from './problems.ts'

/**
 * A problem as its document (RFC 9457; docs/specification/errors.md#problem-documents).
 *
 * @param occurrence - `instance`: the path of the request, empty if none was understood.
 */
export const problemDocument = (
  problem: Problem,
  { instance, requestId }: { instance: string; requestId: string },
) => ({
  type: `/problems/${problem.code}`,
  title: problem.title,
  status: problem.status,
  detail: problem.message,
  instance,
  code: problem.code,
  request_id: requestId,
  ...(problem.errors && { errors: problem.errors }),
})
