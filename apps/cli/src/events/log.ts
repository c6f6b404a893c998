import { pageItemsDefault } from '@hosting/core/lists'
import type { LoggedEvent } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { omitUndefined, flag, list as listOf, pastTime, text } from '../options.ts'
import { printCsv } from '../terminal/csv.ts'
import { listOptions, printList } from '../terminal/list.ts'
import { ids, leftOut, optional, time, truncated, type Columns } from '../terminal/table.ts'
import { formatTime, printable } from '../terminal/text.ts'
import { readNewest } from './read-log.ts'

const filterOptions = {
  eventType: listOf('pattern', 'Only events that match: a type, <resource>.* or *', {
    field: 'types',
    values: 'pattern',
  }),
  object: text('id', 'Only events of this object', { field: 'object_id' }),
  account: text('id', 'Only events of this account', { field: 'account_id', values: 'account' }),
  since: pastTime('Starts with the events created at or after'),
}

interface Filters {
  readonly eventType: string[] | undefined
  readonly object: string | undefined
  readonly account: string | undefined
}

const toQuery = ({ eventType, object, account }: Filters) =>
  omitUndefined({ types: eventType?.join(','), object_id: object, account_id: account })

const subjectOf = ({ data }: LoggedEvent, ...members: string[]): string | undefined =>
  members.map((member) => data[member]).find((value) => typeof value === 'string')

const columns: Columns<LoggedEvent> = {
  id: ids(({ id }) => id),
  type: truncated(({ type }) => type),
  object: truncated((event) => subjectOf(event, 'object_id')),
  name: optional((event) => subjectOf(event, 'primary_domain', 'zone', 'hostname'), 16),
  created: leftOut(time(({ created_at }) => created_at)),
  account: optional((event) => subjectOf(event, 'account_id')),
}

const list = command({
  path: 'events list',
  summary: 'List the events of the organization, newest first',
  examples: [
    'hctl events list --since 24h',
    "hctl events list --since 24h --jq '.items[].id'",
    'hctl events list --since 7d --csv',
  ],
  options: {
    ...filterOptions,
    ...listOptions,
    csv: flag('Print a CSV file, oldest event first, with all events or --limit of them'),
  },
  async run(context, { since, limit: given, csv, ...filters }) {
    const query = { ...toQuery(filters), ...omitUndefined({ since }) }
    const noun = 'events'
    if (csv) return printCsv(context, { path: '/events', query, limit: given, noun })
    const client = await signedInClient(context)
    const limit = given ?? pageItemsDefault
    // One more than is shown, to know whether there are more.
    const countMax = limit === 0 ? 0 : limit + 1
    const events = await readNewest(client, query, { countMax, nowMs: context.environment.now() })
    await printList(context.output, events, { limit, columns, noun })
  },
})

const tail = command({
  path: 'events tail',
  summary: 'Follow the event log: print each event when it is accepted',
  examples: ['hctl events tail'],
  options: {
    ...filterOptions,
    after: text('cursor', 'Continue after this cursor, which each line of --json contains'),
  },
  async run(context, { since, after, eventType, object, account }) {
    const { environment, output } = context
    const client = await signedInClient(context)
    const events = client.events.follow({
      after,
      since: since ?? new Date(environment.now()).toISOString(),
      types: eventType,
      objectId: object,
      accountId: account,
      signal: environment.signal,
    })
    for await (const event of events) {
      if (output.json) output.jsonLine({ cursor: events.cursor, event })
      else output.lines([lineOf(event)])
    }
  },
})

const lineOf = (event: LoggedEvent): string => {
  const { id, type, created_at: createdAt } = event
  const name = subjectOf(event, 'primary_domain', 'zone', 'hostname', 'object_id') ?? ''
  return `${formatTime(createdAt)}  ${id}  ${printable(`${type}  ${name}`)}`
}

export const eventLogCommands = [list, tail]
