import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { printable } from '../output/printable.ts'
import { toTable, type Columns } from '../output/table.ts'
import { showTime } from '../output/times.ts'
import { showDelivery } from '../records/delivery.ts'

export const deliveriesShow = command({
  path: 'deliveries show',
  summary: 'Show a delivery, its attempts and its payload',
  arguments: { id: 'The delivery' },
  async run(context, { id }) {
    const client = await signedInClient(context)
    const answer = await client.GET('/webhook-deliveries/{id}', { params: { path: { id } } })
    const { attempts, payload } = answer.delivery
    context.output.answer(answer, [
      ...showDelivery(answer.delivery),
      ...(attempts.length ? ['', ...toTable(attempts, attemptColumns)] : []),
      '',
      ...JSON.stringify(payload, null, 2).split('\n').map(printable),
    ])
  },
})

interface Attempt {
  readonly number: number
  readonly started_at: string
  readonly duration_ms: number
  readonly status_code: number | null
  readonly error_class: string | null
}

const attemptColumns: Columns<Attempt> = {
  attempt: ({ number }) => number,
  started: ({ started_at }) => showTime(started_at),
  ms: ({ duration_ms }) => duration_ms,
  status: ({ status_code }) => status_code,
  error: ({ error_class }) => error_class,
}
