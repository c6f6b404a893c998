import { Problem } from '@hosting/core/problems'
import { formDraftSeconds } from '@hosting/core/sessions'
import { toProblem } from '../../../api/http/problem-document.ts'
import { redeliverRoute } from '../../../api/routes/webhook-deliveries.ts'
import type { Redirect, SignedInRequest } from '../../page.ts'
import { Alert } from '../../view/components.tsx'
import { urlOf } from '../../view/url.ts'

/** The most deliveries that one form redelivers: a page of the list. */
export const redeliveredMax = 50

/** How many of the selected deliveries were redelivered. */
interface Redelivered {
  readonly selected: number
  readonly redelivered: number
  /** Why the others were not. */
  readonly reason: string | null
}

/**
 * Redelivers the selected deliveries, each in its own transaction, and shows how many were accepted.
 *
 * @param path - the page with the list.
 * @throws Problem `validation_failed` if too many are selected, or what prevents the first one and all others.
 */
export async function redeliverSelected(
  pageRequest: SignedInRequest,
  path: string,
): Promise<Redirect> {
  const { form, query } = pageRequest
  const ids = [...new Set(form.all('id'))]
  if (ids.length > redeliveredMax) {
    const detail = `Select at most ${redeliveredMax} deliveries at a time.`
    throw new Problem('validation_failed', { detail })
  }
  const { done, reason } = await doEach(pageRequest, ids, (id) =>
    pageRequest.call(redeliverRoute, { params: { id } }),
  )
  const result: Redelivered = { selected: ids.length, redelivered: done, reason }
  const to = Object.keys(query).length === 0 ? path : urlOf(path, query)
  const text = JSON.stringify(result)
  return { to, flashSecret: { text, seconds: formDraftSeconds, isOfPerson: true } }
}

/** How many deliveries something was done with, and why not with others. */
interface Done {
  readonly done: number
  readonly reason: string | null
}

/**
 * Does something with each delivery, in its own transaction. Stops at a problem that concerns all of them. After the first
 * success it is part of the result: an error page, or the form shown again, would let the person submit what was already done.
 */
export async function doEach(
  { services, signInContext }: Pick<SignedInRequest, 'services' | 'signInContext'>,
  ids: readonly string[],
  run: (id: string) => Promise<unknown>,
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
      if (done === 0) throw error
      reason = reasonOf(toProblem(error, { id: signInContext.requestId }, services.log))
      break
    }
  }
  return { done, reason }
}

/** A problem of one delivery, which does not concern the others. */
const isOfOne = ({ code }: Problem): boolean =>
  code === 'conflict' || code === 'not_found' || code === 'validation_failed'

/** Why the rest was not redelivered, for people. */
function reasonOf({ code, message }: Problem): string {
  if (code === 'authentication_required') return 'Your session ended.'
  return code === 'internal_error' ? 'Something went wrong on our side.' : message
}

/** Shows the result of {@link redeliverSelected}, which the flash secret contains. */
export function RedeliveredAlert({ flashSecret }: Pick<SignedInRequest, 'flashSecret'>) {
  if (flashSecret === undefined) return null
  const { selected, redelivered, reason } = JSON.parse(flashSecret) as Redelivered
  if (selected === 0) {
    return (
      <Alert tone="warn" live title="Nothing was selected">
        Select the deliveries to redeliver, then try again.
      </Alert>
    )
  }
  const title = `${redelivered} of ${selected} selected deliveries redelivered`
  return (
    <div role="status">
      <Alert tone={redelivered === selected ? 'ok' : 'warn'} title={title}>
        {reason === null
          ? 'Each is a new delivery of the same event, at the top of the list.'
          : `The others were not redelivered: ${reason}`}
      </Alert>
    </div>
  )
}
