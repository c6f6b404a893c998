import { type BulkKind, bulkMax, type BulkDeliveries } from '../../../api/for-pages.ts'
import type { SignedInRequest } from '../../page.ts'
import { Alert, DescriptionList, LinkButton } from '../../view/components.tsx'
import { usePage } from '../../view/context.ts'
import { Form, Submit } from '../../view/form.tsx'

const countText = (count: number): string => count.toLocaleString('en')

/** The number of deliveries that an action is about. */
export const deliveriesText = ({ total, isMore }: BulkDeliveries): string =>
  `${countText(total)}${isMore ? '+' : ''} ${total === 1 ? 'delivery' : 'deliveries'}`

/** What is done with how many deliveries, and the button that does it. */
export function BulkChoice({
  bulk: { ids, examined, total },
  selected = total,
  url,
  list,
}: {
  bulk: BulkDeliveries
  /** How many were selected. Some may not exist. */
  selected?: number | undefined
  url: string
  list: string
}) {
  const count = (kind: BulkKind): string => countText(ids[kind].length)
  /** A number with what is done with so many. */
  const planned = (kind: BulkKind, text: string): string =>
    ids[kind].length === 0 ? '0' : `${count(kind)}, ${text}`
  const others: [name: string, text: string, number: number][] = [
    ['Endpoint deleted', 'not sent', ids.gone.length],
    ['Not found', 'not sent', selected - total],
  ]
  const actions = actionsOf(ids)
  const mayManage = usePage().may('webhooks.manage')
  const all = ids.arrived.length > 0 ? `Redeliver ${count('arrived')} again` : undefined
  const button = mayManage ? actions || all : undefined
  return (
    <Form action="send" to={url}>
      {examined < total && (
        <Alert title={`The newest ${countText(examined)} at a time`}>
          One action sends up to {bulkMax} deliveries. Repeat it for the others, or recover a time
          range of an endpoint.
        </Alert>
      )}
      <DescriptionList
        items={[
          ['Waiting for a retry', planned('waiting', 'due now instead of later')],
          ['Failed', planned('failed', 'redelivered')],
          ['Already arrived', planned('arrived', 'not sent again unless you choose it')],
          ['In progress', planned('underway', 'left alone')],
          ...others.flatMap(([name, text, number]) =>
            number > 0 ? [[name, `${countText(number)}, ${text}`] as const] : [],
          ),
        ]}
      />
      {mayManage && <Arrived number={ids.arrived.length} isAll={actions === ''} />}
      <div class="buttons">
        {button !== undefined && <Submit>{button}</Submit>}
        <LinkButton to={list}>{button === undefined ? 'Back' : 'Cancel'}</LinkButton>
      </div>
    </Form>
  )
}

/** `Retry 3 and redeliver 12`; empty if nothing waits and nothing has failed. */
function actionsOf({ waiting, failed }: BulkDeliveries['ids']): string {
  const retry = `retry ${countText(waiting.length)}`
  const redeliver = `redeliver ${countText(failed.length)}`
  const parts = [...(waiting.length > 0 ? [retry] : []), ...(failed.length > 0 ? [redeliver] : [])]
  const text = parts.join(' and ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Whether what has arrived is sent again, too. If there is nothing else to send, the button says it. */
const Arrived = ({ number, isAll }: { number: number; isAll: boolean }) => {
  if (number === 0) return null
  const have = `${countText(number)} ${number === 1 ? 'has' : 'have'} already arrived`
  const hint = 'Your receiver gets these events again with the same event ID.'
  if (isAll) {
    return (
      <Alert tone="warn" title={`${have}.`}>
        <input type="hidden" name="arrived" value="true" />
        {hint}
      </Alert>
    )
  }
  return (
    <label class="check">
      <input type="checkbox" name="arrived" value="true" />
      <span>Also the {have.replace(' ', ' that ')}</span>
      <span class="hint">{hint}</span>
    </label>
  )
}

/** What an action did. */
export interface SentDeliveries {
  readonly retried: number
  readonly redelivered: number
  /** Why others were not sent. */
  readonly reason: string | null
}

/** Says what an action did, which the flash secret contains. */
export function Sent({ flashSecret }: Pick<SignedInRequest, 'flashSecret'>) {
  if (flashSecret === undefined) return null
  const { retried, redelivered, reason } = JSON.parse(flashSecret) as SentDeliveries
  return (
    <div role="status">
      <Alert
        tone={reason === null ? 'ok' : 'warn'}
        title={`${retried} retried now, ${redelivered} redelivered`}
      >
        {reason === null
          ? 'They are sent at a steady pace. The numbers below are those of now.'
          : `Others were not sent: ${reason}`}
      </Alert>
    </div>
  )
}
