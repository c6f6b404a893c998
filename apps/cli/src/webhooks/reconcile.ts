import type { Client, LoggedEvent } from '@hosting/sdk'
import { readFile } from 'node:fs/promises'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { statusLabel } from '../deliveries/outcomes.ts'
import { matchesPattern } from '../events/patterns.ts'
import { readLog } from '../events/read-log.ts'
import { CliError, usageError } from '../exit-codes.ts'
import { pastTime, required, text, webhookId } from '../options.ts'
import type { Columns } from '../terminal/table.ts'
import { formatTime } from '../terminal/text.ts'

/** An event of which the receiver has no id, with what became of it. */
interface MissingEvent {
  readonly id: string
  readonly type: string
  readonly created_at: string
  /** Of its newest delivery to the webhook; `not sent` without one. */
  readonly status: string
}

/** An event that was delivered to the webhook more than once, or is in the file more than once. */
interface RepeatedEvent {
  readonly id: string
  readonly delivered: number
  readonly listed: number
}

const missingColumns: Columns<MissingEvent> = {
  missing: ({ id }) => id,
  type: ({ type }) => type,
  status: ({ status }) => status,
  created: ({ created_at }) => formatTime(created_at),
}

const repeatedColumns: Columns<RepeatedEvent> = {
  'sent twice': ({ id }) => id,
  delivered: ({ delivered }) => delivered,
  listed: ({ listed }) => listed,
}

export const reconcile = command({
  path: 'webhooks reconcile',
  summary: 'Compare the event log with the event ids that a receiver has stored',
  arguments: { id: webhookId },
  options: {
    since: required(pastTime('Compares events created at or after, at most 30 days ago')),
    ids: required(text('file', 'File with the stored event ids, one per line; - reads stdin')),
  },
  async run(context, { id, since, ids: file }) {
    const { output, environment } = context
    const stored = countIds(await readText(file, environment.stdin))
    const client = await signedInClient(context)
    const { webhook } = await client.GET('/webhooks/{id}', { params: { path: { id } } })
    const expected = await readExpected(client, since, webhook.events)
    const delivered = await countDelivered(client, id, since)
    const absent = expected.filter((event) => !stored.has(event.id))
    const missing: MissingEvent[] = []
    for (const event of absent) missing.push(await describeMissing(client, id, event))
    const repeated = expected
      .map((event) => ({
        id: event.id,
        delivered: delivered.get(event.id) ?? 0,
        listed: stored.get(event.id) ?? 0,
      }))
      .filter((event) => event.delivered > 1 || event.listed > 1)
    const result = { events: expected.length, stored: stored.size, missing, sent_twice: repeated }
    output.result(result, [
      ...(missing.length > 0 ? [...output.table(missing, missingColumns), ''] : []),
      ...(repeated.length > 0 ? [...output.table(repeated, repeatedColumns), ''] : []),
      `${expected.length} events, ${missing.length} missing, ${repeated.length} sent twice.`,
    ])
    if (missing.length > 0) throw new Missing(id, since, missing)
  },
})

/** Ends the command with exit code 1, and says how to send what is missing. */
class Missing extends CliError {
  constructor(id: string, since: string, missing: readonly MissingEvent[]) {
    const isWaiting = missing.every(({ status }) => status === statusLabel('waiting_retry'))
    super('events_missing', `The receiver has not stored ${missing.length} of the events.`, {
      hint: isWaiting
        ? `They wait for a retry. Send them now: hctl webhooks retry ${id}`
        : `Send what has not arrived: hctl deliveries recover ${id} --since ${since} --backfill`,
    })
  }
}

async function readText(file: string, stdin: AsyncIterable<unknown>): Promise<string> {
  if (file !== '-') {
    return await readFile(file, 'utf8').catch((error: unknown) => {
      throw usageError('usage', `The file ${file} cannot be read: ${String(error)}`)
    })
  }
  let input = ''
  for await (const part of stdin) input += String(part)
  return input
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** The ids of a file, with how often each occurs. A line may have quotes or further columns, as databases export them. */
function countIds(content: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const line of content.split(/\r?\n/)) {
    const id = uuid.exec(line)?.[0]?.toLowerCase()
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

/** The events of the log that match the patterns of the webhook. */
async function readExpected(
  client: Client,
  since: string,
  patterns: readonly string[],
): Promise<LoggedEvent[]> {
  const expected: LoggedEvent[] = []
  for await (const event of readLog(client, { since, limit: 1_000 })) {
    if (patterns.some((pattern) => matchesPattern(pattern, event.type))) expected.push(event)
  }
  return expected
}

/** How often each event was delivered to the webhook since a time. */
async function countDelivered(
  client: Client,
  id: string,
  since: string,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const query = { status: 'succeeded', since, limit: 100 } as const
  const found = client.items('/webhooks/{id}/deliveries', { params: { path: { id }, query } })
  for await (const { event } of found) counts.set(event.id, (counts.get(event.id) ?? 0) + 1)
  return counts
}

async function describeMissing(
  client: Client,
  webhook: string,
  { id, type, created_at }: LoggedEvent,
): Promise<MissingEvent> {
  const { deliveries } = await client.GET('/events/{id}', { params: { path: { id } } })
  const newest = deliveries.find(({ webhook_id }) => webhook_id === webhook)
  return { id, type, created_at, status: newest ? statusLabel(newest.status) : 'Not sent' }
}
