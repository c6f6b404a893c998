import { recordsKeptDays } from '@hosting/core/webhooks'
import { ApiProblem, type Client, type ItemOf, type LoggedEvent } from '@hosting/sdk'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { statusLabel } from '../deliveries/outcomes.ts'
import { matchesPattern } from '../events/patterns.ts'
import { readLog } from '../events/read-log.ts'
import { CliError, usageError } from '../exit-codes.ts'
import { pastTime, required, text, endpointId } from '../options.ts'
import { ids, type Columns } from '../terminal/table.ts'
import { formatTime } from '../terminal/text.ts'
import { adviseOnMissing, notSent, type Comparison, type MissingEvent } from './missing-events.ts'

/** An event that was delivered to the webhook more than once, or is in the file more than once. */
interface RepeatedEvent {
  readonly id: string
  readonly delivered: number
  readonly listed: number
}

const missingColumns: Columns<MissingEvent> = {
  missing: ids(({ id }) => id),
  type: ({ type }) => type,
  status: ({ status }) => status,
  created: ({ created_at }) => formatTime(created_at),
}

const repeatedColumns: Columns<RepeatedEvent> = {
  'sent twice': ids(({ id }) => id),
  delivered: ({ delivered }) => delivered,
  listed: ({ listed }) => listed,
}

export const reconcile = command({
  path: 'webhooks reconcile',
  summary: 'Compare the event log with the event ids that a receiver has stored',
  examples: ['hctl webhooks reconcile billing --since 24h --ids received.txt'],
  arguments: { id: endpointId },
  options: {
    since: required(
      pastTime(`Compares events created at or after, at most ${recordsKeptDays} days ago`),
    ),
    ids: required(text('file', 'File with the stored event ids, one per line; - reads stdin')),
  },
  async run(context, { id, since, ids: file }) {
    const { output, environment } = context
    const stored = await countIds(readLines(file, environment.stdin))
    const client = await signedInClient(context)
    const { webhook: endpoint } = await client.GET('/webhooks/{id}', { params: { path: { id } } })
    const log = await compareLog(client, { since, endpoint, stored })
    const delivered = await readDelivered(client, { id, since }, log)
    const missing = [...log.absent].map(([each, event]) => ({
      id: each,
      ...event,
      ...(delivered.newest.get(each) ?? { status: notSent, delivery_id: null }),
    }))
    const repeated = await findRepeated(client, stored, delivered.counts)
    const result = { events: log.events, stored: stored.size, missing, sent_twice: repeated }
    output.result(result, [
      ...(missing.length > 0 ? [...output.table(missing, missingColumns), ''] : []),
      ...(repeated.length > 0 ? [...output.table(repeated, repeatedColumns), ''] : []),
      `${log.events} events, ${missing.length} missing, ${repeated.length} sent twice.`,
    ])
    if (missing.length > 0) throw new Missing(missing, { id, since, file })
  },
})

/** Ends the command with exit code 1, and says what to do about the missing events. */
class Missing extends CliError {
  constructor(missing: readonly MissingEvent[], compared: Comparison) {
    super('events_missing', `The receiver has not stored ${missing.length} of the events.`, {
      hint: adviseOnMissing(missing, compared),
    })
  }
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** The ids of a file, with how often each occurs. A line may have quotes or further columns, as databases export them. */
async function countIds(lines: AsyncIterable<string>): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for await (const line of lines) {
    const id = uuid.exec(line)?.[0]?.toLowerCase()
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

/** Reads the lines of a file, or of stdin, one by one: a file may have millions. */
async function* readLines(
  file: string,
  stdin: AsyncIterable<unknown>,
): AsyncGenerator<string, void, undefined> {
  try {
    yield* file === '-'
      ? createInterface({ input: Readable.from(stdin) })
      : (await open(file)).readLines()
  } catch (error) {
    throw usageError('usage', `The file ${file} cannot be read: ${String(error)}`)
  }
}

/** What the comparison of the event log with the stored ids found. Only what differs is kept, for logs of any length. */
interface Compared {
  /** The number of events that the webhook subscribes to. */
  readonly events: number
  readonly absent: ReadonlyMap<string, { readonly type: string; readonly created_at: string }>
  readonly listedTwice: readonly string[]
}

/** Which events a webhook gets. */
type Subscription = Pick<ItemOf<'/webhooks'>, 'id' | 'events' | 'accounts'>

function isSubscribed(
  { id, events, accounts }: Subscription,
  { type, data }: LoggedEvent,
): boolean {
  // An operational event is not sent to the endpoint that it is about.
  if (type.startsWith('endpoint.') && data['object_id'] === id) return false
  if (!events.some((pattern) => matchesPattern(pattern, type))) return false
  if (!accounts) return true
  const account: unknown = data['account_id']
  return typeof account === 'string' && accounts.includes(account.toLowerCase())
}

async function compareLog(
  client: Client,
  {
    since,
    endpoint,
    stored,
  }: { since: string; endpoint: Subscription; stored: ReadonlyMap<string, number> },
): Promise<Compared> {
  const absent = new Map<string, { type: string; created_at: string }>()
  const listedTwice: string[] = []
  let events = 0
  for await (const event of readLog(client, { since, limit: 1_000 })) {
    if (!isSubscribed(endpoint, event)) continue
    const { id, type, created_at } = event
    events += 1
    const listed = stored.get(id) ?? 0
    if (listed === 0) absent.set(id, { type, created_at })
    if (listed > 1) listedTwice.push(id)
  }
  return { events, absent, listedTwice }
}

/** What became of the absent events, and how often the others were delivered that may have been delivered twice. */
async function readDelivered(
  client: Client,
  { id, since }: { id: string; since: string },
  { absent, listedTwice }: Compared,
) {
  const newest = new Map<string, Pick<MissingEvent, 'status' | 'delivery_id'>>()
  const counts = new Map(listedTwice.map((each) => [each, 0]))
  const query = { since, limit: 100 } as const
  // The newest come first: that of an absent event tells what became of it, and redeliveries come before the first delivery.
  for await (const delivery of client.items('/webhooks/{id}/deliveries', {
    params: { path: { id }, query },
  })) {
    const { event, status, redelivery_of } = delivery
    if (absent.has(event.id) && !newest.has(event.id)) {
      newest.set(event.id, { status: statusLabel(status), delivery_id: delivery.id })
    }
    const count = counts.get(event.id)
    if (status !== 'succeeded' || (count === undefined && redelivery_of === null)) continue
    counts.set(event.id, (count ?? 0) + 1)
  }
  return { newest, counts }
}

/** The events of the log that were delivered more than once, or are in the file more than once. */
async function findRepeated(
  client: Client,
  stored: ReadonlyMap<string, number>,
  delivered: ReadonlyMap<string, number>,
): Promise<RepeatedEvent[]> {
  const repeated: RepeatedEvent[] = []
  for (const [id, count] of delivered) {
    const listed = stored.get(id) ?? 0
    if (listed > 1 || (count > 1 && (await isLogged(client, id)))) {
      repeated.push({ id, delivered: count, listed })
    }
  }
  return repeated
}

/** Pings and tests are not in the event log. */
async function isLogged(client: Client, id: string): Promise<boolean> {
  try {
    await client.GET('/events/{id}', { params: { path: { id } } })
    return true
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return false
    throw error
  }
}
