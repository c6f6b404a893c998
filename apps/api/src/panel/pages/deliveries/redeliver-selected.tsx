import { Problem } from '@hosting/core/problems'
import { redeliverRoute } from '../../../routes/webhook-deliveries.ts'
import type { Redirect, SignedInRequest } from '../../page.ts'
import { Alert } from '../../view/components.tsx'
import { urlOf } from '../../view/url.ts'

/** How many of the selected deliveries were redelivered. */
interface Redelivered {
  readonly selected: number
  readonly redelivered: number
  /** Why the others were not, in the words of the first problem. */
  readonly reason: string | null
}

/**
 * Redelivers the selected deliveries, each in its own transaction, and shows how many were accepted.
 *
 * @param path - the page with the list.
 */
export async function redeliverSelected(
  pageRequest: SignedInRequest,
  path: string,
): Promise<Redirect> {
  const { call, form, query } = pageRequest
  const ids = [...new Set(form.all('id'))]
  const problems: Problem[] = []
  for (const id of ids) {
    try {
      await call(redeliverRoute, { params: { id } })
    } catch (error) {
      if (!(error instanceof Problem && isOfOne(error))) throw error
      problems.push(error)
    }
  }
  const result: Redelivered = {
    selected: ids.length,
    redelivered: ids.length - problems.length,
    reason: problems[0]?.message ?? null,
  }
  const to = Object.keys(query).length === 0 ? path : urlOf(path, query)
  return { to, flashSecret: { text: JSON.stringify(result), seconds: 60 } }
}

/** A problem of one delivery, which does not concern the others. */
const isOfOne = ({ code }: Problem): boolean =>
  code === 'conflict' || code === 'not_found' || code === 'validation_failed'

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
