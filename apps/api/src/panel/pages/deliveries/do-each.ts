import { Problem } from '@hosting/core/problems'
import { toProblem } from '../../../api/http/problem-document.ts'
import type { SignedInRequest } from '../../page.ts'

/** How many deliveries something was done with, and why not with others. */
interface Done {
  readonly done: number
  readonly reason: string | null
}

/**
 * Does something with each delivery, in its own transaction. Stops at a problem that concerns all of them. After the first
 * success it is part of the result: an error page, or the form shown again, would let the person submit what was already done.
 *
 * @param hasBegun - whether something was done before, with other deliveries.
 * @throws Problem what prevents the first one and all others.
 */
export async function doEach(
  { services, signInContext }: Pick<SignedInRequest, 'services' | 'signInContext'>,
  {
    ids,
    hasBegun,
    run,
  }: {
    readonly ids: readonly string[]
    readonly hasBegun: boolean
    readonly run: (id: string) => Promise<unknown>
  },
): Promise<Done> {
  let done = 0
  let reason: string | null = null
  for (const id of ids) {
    try {
      await run(id)
      done += 1
    } catch (error) {
      if (error instanceof Problem && isOfOne(error)) {
        reason ??= error.message
        continue
      }
      if (done === 0 && !hasBegun) throw error
      reason = reasonOf(toProblem(error, { id: signInContext.requestId }, services.log))
      break
    }
  }
  return { done, reason }
}

/** A problem of one delivery, which does not concern the others. */
const isOfOne = ({ code }: Problem): boolean =>
  code === 'conflict' || code === 'not_found' || code === 'validation_failed'

/** Why the rest was not done, for people. */
function reasonOf({ code, message }: Problem): string {
  if (code === 'authentication_required') return 'Your session ended.'
  return code === 'internal_error' ? 'Something went wrong on our side.' : message
}
