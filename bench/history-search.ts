import { parseDeliverySearch } from '@hosting/core/webhooks'
import type { Database } from '@hosting/postgres/database'
import { listDeliveries, type DeliveryFilter } from '@hosting/postgres/deliveries'
import {
  countRecoverable,
  readEventLog,
  type EventLogFilter,
  type EventLogStart,
} from '@hosting/postgres/webhooks'
import { explainStatements } from '../test/support/statement-cost.ts'
import { percentile, single } from './figures.ts'
import type { BenchOwner } from './owner.ts'
import type { SingleFigure } from './results.ts'

/** An organization's history, with an API process. */
interface SearchedHistory {
  readonly database: Database
  /** Of the API process. */
  readonly url: string
  readonly owner: BenchOwner
}

const rounds = 10
const requestsPerRound = 10
/** Of requests that count all of a history. */
const countsPerRound = 1
const dayMs = 86_400_000
/** As in the API, so that the same statements run. */
const countMsMax = 4_000

/** A read, as a request and as the statements behind it. */
interface Search {
  readonly path: string
  readonly body?: object
  run(database: Database): Promise<unknown>
}

/**
 * Filters and searches of deliveries, pages of the event log, and dry runs, of an organization with few deliveries and of
 * one with many: the times of the requests in alternating rounds, and what their statements read.
 */
export async function compareSearches(small: SearchedHistory, large: SearchedHistory) {
  const searches = { small: await searchesOf(small), large: await searchesOf(large) }
  const figures: Record<string, Record<string, SingleFigure>> = {}
  for (const kind of Object.keys(searches.small)) {
    figures[kind] = await compare(
      { ...small, search: searches.small[kind]! },
      { ...large, search: searches.large[kind]! },
    )
  }
  return figures
}

type Measured = SearchedHistory & { readonly search: Search }

async function compare(small: Measured, large: Measured): Promise<Record<string, SingleFigure>> {
  const times = { small: [] as number[], large: [] as number[] }
  for (let round = -1; round < rounds; round++) {
    const [fast, slow] = [await askAll(small), await askAll(large)]
    // The first round warms both up.
    if (round >= 0) times.small.push(...fast)
    if (round >= 0) times.large.push(...slow)
  }
  const sorted = (list: number[]) => list.toSorted((a, b) => a - b)
  const [smallCost, largeCost] = [await costOf(small), await costOf(large)]
  return {
    p50_small: single('ms', percentile(sorted(times.small), 0.5)),
    p50_large: single('ms', percentile(sorted(times.large), 0.5)),
    p99_large: single('ms', percentile(sorted(times.large), 0.99)),
    blocks_small: single('count', smallCost.blocks),
    blocks_large: single('count', largeCost.blocks),
    rows_large: single('count', largeCost.rows),
  }
}

async function askAll({ url, owner, search }: Measured): Promise<number[]> {
  const times: number[] = []
  const count = search.body ? countsPerRound : requestsPerRound
  for (let request = 0; request < count; request++) {
    const before = performance.now()
    await ask({ url, owner }, search)
    times.push(performance.now() - before)
  }
  return times
}

let asked = 0

/** A key may make 600 requests per minute, and the load has used the first one. */
const nextToken = ({ tokens }: BenchOwner): string => tokens[1 + (asked++ % (tokens.length - 1))]!

async function ask(
  { url, owner }: Pick<SearchedHistory, 'url' | 'owner'>,
  { path, body }: Pick<Search, 'path' | 'body'>,
): Promise<{ next_cursor: string }> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${nextToken(owner)}`,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} gave ${response.status}: ${text}`)
  return JSON.parse(text) as { next_cursor: string }
}

async function costOf({ database, search }: Measured) {
  const explained = explainStatements(database, 1)
  await search.run(explained.database)
  return explained.cost()
}

async function searchesOf(history: SearchedHistory): Promise<Record<string, Search>> {
  const { database, owner } = history
  const { tenantId } = owner
  const { rows } = await database.pool.query<{ id: string; event_id: string; endpoint_id: string }>(
    `SELECT id, event_id, endpoint_id FROM deliveries
     WHERE tenant_id = $1 AND completed_at < now() - interval '14 days' ORDER BY id DESC LIMIT 1`,
    [tenantId],
  )
  const { id, event_id: eventId, endpoint_id: endpointId } = rows[0]!
  const list = (query: string, filter: Partial<DeliveryFilter>): Search => ({
    path: `/webhook-deliveries?limit=50&${query}`,
    run: (each) => listDeliveries(each, { tenantId, ...filter }, { beforeId: undefined, take: 51 }),
  })
  const search = (text: string): Search => list(`q=${text}`, { search: parseDeliverySearch(text) })
  return {
    object_id: list('object_id=website-1234', { objectId: 'website-1234' }),
    account_id: list('account_id=account-12', { accountId: 'account-12' }),
    account_and_dead: list('account_id=account-12&status=dead', {
      accountId: 'account-12',
      status: 'dead',
    }),
    status_code_500: list('status_code=500', { statusCode: 500 }),
    status_code_404: list('status_code=404', { statusCode: 404 }),
    status_code_200: list('status_code=200', { statusCode: 200 }),
    error_class: list('error_class=timeout', { errorClass: 'timeout' }),
    q_delivery: search(id),
    q_delivery_start: search(id.slice(0, 8)),
    q_event: search(eventId),
    q_object: search('website-1234'),
    q_few_objects: search('website-123'),
    q_all_objects: search('website-'),
    q_type: search('site.updated'),
    q_rare_type: search('dns.zone_deleted'),
    q_name: search('shop-1234.example'),
    q_nothing: search('nothing.example'),
    ...(await logSearches(history)),
    ...dryRuns(tenantId, endpointId),
  }
}

async function logSearches(history: SearchedHistory): Promise<Record<string, Search>> {
  const { tenantId } = history.owner
  const middleMs = Date.now() - 14 * dayMs
  const log = (
    query: string,
    filter: Omit<EventLogFilter, 'tenantId'> = {},
    start?: EventLogStart,
  ): Search => ({
    path: `/events?limit=100${query}`,
    run: (each) => readEventLog(each, { tenantId, ...filter }, { start, take: 100 }),
  })
  const since = { sinceMs: middleMs }
  const atSince = log(`&since=${new Date(middleMs).toISOString()}`, {}, since)
  const { next_cursor: deep } = await ask(history, atSince)
  const page = await readEventLog(history.database, { tenantId }, { start: since, take: 100 })
  if (page === 'too_old') throw new Error('The log does not go back so far')
  const { next_cursor: end } = await ask(history, {
    path: `/events?since=${new Date().toISOString()}`,
  })
  return {
    log_first: log(''),
    log_since: atSince,
    log_deep: log(`&cursor=${deep}`, {}, { cursor: page.next }),
    log_end: log(`&cursor=${end}`, {}, { sinceMs: Date.now() }),
    log_rare_type: log('&types=dns.zone_deleted', { types: ['dns.zone_deleted'] }),
    log_no_type: log('&types=job.failed', { types: ['job.failed'] }),
    log_object: log('&object_id=website-1234', { objectId: 'website-1234' }),
    log_account: log('&account_id=account-12', { accountId: 'account-12' }),
  }
}

function dryRuns(tenantId: string, endpointId: string): Record<string, Search> {
  const span = { sinceMs: Date.now() - 29 * dayMs, untilMs: Date.now() }
  const dryRun = (body: object, choice: { backfill?: boolean; anyStatus?: boolean }): Search => ({
    path: `/webhooks/${endpointId}/recover`,
    body: { since: new Date(span.sinceMs).toISOString(), dry_run: true, ...body },
    run: ({ prisma }) =>
      countRecoverable(prisma, { tenantId, endpointId }, { span, choice, msMax: countMsMax }),
  })
  return {
    dry_run: dryRun({}, {}),
    dry_run_any: dryRun({ status: 'any' }, { anyStatus: true }),
    dry_run_backfill: dryRun({ backfill: true }, { backfill: true }),
  }
}
