import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { defined } from '../defined.ts'
import { choice, pastTime, text } from '../options.ts'
import { listOptions, pageSize, printList } from '../output/list.ts'
import { deliveryColumns } from '../records/delivery.ts'

const statuses = [
  'queued',
  'in_flight',
  'waiting_retry',
  'waiting_endpoint',
  'succeeded',
  'dead',
] as const

export const deliveriesList = command({
  path: 'deliveries list',
  summary: 'List deliveries, newest first',
  options: {
    webhook: text('id', 'To this webhook alone'),
    status: choice(statuses, 'In this state alone'),
    eventType: text('type', 'Of this event type alone'),
    eventId: text('id', 'Of this event alone'),
    find: text('id', 'With this delivery id or event id'),
    since: pastTime('Made since'),
    until: pastTime('Made before'),
    ...listOptions,
  },
  async run(context, { webhook, status, eventType, eventId, find, since, until, limit }) {
    const query = defined({
      webhook_id: webhook,
      status,
      event_type: eventType as undefined,
      event_id: eventId,
      q: find,
      since,
      until,
      limit: pageSize(limit),
    })
    const client = await signedInClient(context)
    const deliveries = client.items('/webhook-deliveries', { params: { query } })
    const shown = { limit, columns: deliveryColumns, what: 'deliveries' }
    await printList(context.output, deliveries, shown)
  },
})
