import type { Delivery } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { usageError } from '../exit-codes.ts'
import { omitUndefined, deliveryId, pastTime, text } from '../options.ts'
import { csvOption, printCsv } from '../terminal/csv.ts'
import { listOptions, pageSize, printList } from '../terminal/list.ts'
import type { Output } from '../terminal/output.ts'
import { printable } from '../terminal/text.ts'
import { deliveryColumns, deliveryLines } from './display.ts'
import { filterOptions, toQuery } from './filters.ts'
import { recover } from './recover.ts'
import { tail } from './tail.ts'
import { explainLastFailure, timelineColumns, toTimeline } from './timeline.ts'

const list = command({
  path: 'deliveries list',
  summary: 'List deliveries, newest first',
  examples: [
    'hctl deliveries list --since 1h --status failed',
    'hctl deliveries list --webhook billing --event-type site.created',
    'hctl deliveries list --status failed --since 7d --csv',
  ],
  options: {
    ...filterOptions,
    find: text(
      'text',
      'Only deliveries of this delivery, event or object id, or its first 8 characters, this event type or this domain',
      { field: 'q' },
    ),
    since: pastTime('Created at or after'),
    until: pastTime('Created before'),
    ...listOptions,
    ...csvOption,
  },
  async run(context, { find, since, until, limit, csv, ...filters }) {
    const range = omitUndefined({ q: find, since, until })
    const filter = { ...toQuery(filters), ...range }
    const noun = 'deliveries'
    if (csv) return printCsv(context, { path: '/webhook-deliveries', query: filter, limit, noun })
    const query = { ...filter, limit: pageSize(limit) }
    const client = await signedInClient(context)
    const deliveries = client.items('/webhook-deliveries', { params: { query } })
    const hint = find === undefined ? undefined : toFindHint(find)
    const shown = { limit, columns: deliveryColumns, noun, hint }
    await printList(context.output, deliveries, shown)
  },
})

/** What a search looked for, if it found nothing. */
const toFindHint = (found: string): string =>
  `“${printable(found)}” is not the id of a delivery, an event or an object or its first 8 characters, an event type, or a whole domain, zone or host name.`

const show = command({
  path: 'deliveries show',
  summary: 'Show a delivery, its timeline of attempts and its payload',
  examples: ['hctl deliveries show 01a21a2f'],
  arguments: { id: deliveryId },
  async run(context, { id }) {
    const { output, environment } = context
    const client = await signedInClient(context)
    const response = await client.GET('/webhook-deliveries/{id}', { params: { path: { id } } })
    const { delivery } = response
    const timeline = toTimeline(delivery, environment.now())
    const explanation = explainLastFailure(delivery)
    output.result(response, [
      ...deliveryLines(delivery),
      ...(timeline.length ? ['', ...output.table(timeline, timelineColumns)] : []),
      ...(explanation.length ? ['', ...explanation] : []),
      '',
      'Payload',
      ...JSON.stringify(delivery.payload, null, 2).split('\n').map(printable),
    ])
  },
})

const redeliver = command({
  path: 'deliveries redeliver',
  summary: 'Send the events of one or more deliveries again, as new deliveries',
  examples: ['hctl deliveries redeliver 01a21a2f'],
  arguments: { ids: { ...deliveryId, rest: true } },
  async run(context, { ids }) {
    if (ids.length === 0) throw usageError('usage', "Missing required argument 'ids'.")
    const { output } = context
    const client = await signedInClient(context)
    const created: Delivery[] = []
    try {
      for (const id of new Set(ids)) {
        const params = { path: { id } }
        const { delivery } = await client.POST('/webhook-deliveries/{id}/redeliver', { params })
        created.push(delivery)
      }
    } finally {
      // If one of several fails, the new deliveries of those before it are still reported.
      if (created.length > 0) output.result({ items: created }, redeliveredLines(output, created))
    }
  },
})

const redeliveredLines = (output: Output, created: readonly Delivery[]): string[] =>
  created.length === 1 ? deliveryLines(created[0]!) : output.table(created, deliveryColumns)

const retry = command({
  path: 'deliveries retry',
  summary: 'Retry a delivery now that is waiting for its next attempt',
  examples: ['hctl deliveries retry 01a21a2f'],
  arguments: { id: deliveryId },
  async run(context, { id }) {
    const client = await signedInClient(context)
    const response = await client.POST('/webhook-deliveries/{id}/retry-now', {
      params: { path: { id } },
    })
    context.output.result(response, deliveryLines(response.delivery))
  },
})

export const deliveryCommands = [list, show, tail, retry, redeliver, recover]
