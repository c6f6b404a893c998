import type { ItemOf } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { omitUndefined } from '../options.ts'
import * as option from '../options.ts'
import { listOptions, pageSize, printList } from '../terminal/list.ts'
import { optional, type Columns } from '../terminal/table.ts'
import { formatTime } from '../terminal/text.ts'

type Use = ItemOf<'/api-keys/{id}/uses'>

/** What stands for an operation that no route served, and for the rest of an hour. */
const operationLabel = ({ operation, address }: Use): string =>
  operation ?? (address === null ? 'other requests' : 'no operation')

const columns: Columns<Use> = {
  start: ({ start }) => formatTime(start),
  operation: operationLabel,
  status: ({ status }) => status,
  address: ({ address }) => address,
  secret: optional(({ secret }) => secret),
  requests: ({ requests }) => requests,
}

/** Shows who uses a key. */
export const usesCommand = command({
  path: 'keys uses',
  summary: 'Show the requests of an API key by operation, status, address and secret',
  examples: [
    'hctl keys uses nightly-backup',
    'hctl keys uses nightly-backup --since 7d --by day',
    `hctl keys uses nightly-backup --since 24h --limit 0 --jq '[.items[] | select(.secret == "previous")]'`,
  ],
  arguments: { id: option.anyKeyId },
  options: {
    since: option.pastTime('At or after, at most 7 days before --until'),
    until: option.pastTime('Before'),
    by: option.choice(['hour', 'day'], 'Add up requests by the hour or by the day, in UTC'),
    ...listOptions,
  },
  async run(context, { id, since, until, by, limit }) {
    const query = omitUndefined({ since, until, by, limit: pageSize(limit) })
    const client = await signedInClient(context)
    const uses = client.items('/api-keys/{id}/uses', { params: { path: { id }, query } })
    await printList(context.output, uses, { limit, columns, noun: 'requests' })
  },
})
