import { createUuidv7 } from '@hosting/core/ids'
import { freezeEnvelope, patternsMatching } from '@hosting/core/webhooks'
import { openDatabase, type Database } from '@hosting/postgres/database'
import { publishEvents } from '@hosting/postgres/webhooks'
import { ofRounds, ratioOfRounds, single } from './figures.ts'
import { makeHistoryOwner } from './history-data.ts'
import { makeEvent } from './publisher.ts'
import type { BenchmarkResult, Table } from './results.ts'
import { useBenchServers } from './servers.ts'

const rounds = 15
const eventsPerRound = 1_000
/** As many events as a request has in the other benchmarks. */
const batchSize = 50
/** The most accounts of an endpoint. */
const accounts = 100

/** What matched-endpoints.sql says of account filters. */
const condition = "AND (e.accounts = '{}' OR lower(f.account_id) = ANY (e.accounts))"

/** A way to publish: what it stores is the same. */
interface Variant {
  readonly database: Database
  readonly tenantId: string
  /** Statements until now. */
  readonly statements: () => number
}

/**
 * Publishes to ten endpoints, in alternating rounds: by the statement without what it says of account filters, by the
 * statement as it is to endpoints without a filter, and to endpoints that filter by 100 accounts, among which is that of
 * the events.
 */
export async function accountFilters(): Promise<BenchmarkResult> {
  const servers = await useBenchServers()
  const database = openDatabase(servers.databaseUrl, { onError: () => undefined })
  const [open, filtered] = [
    await makeHistoryOwner(database, servers.serverSecret, 0),
    await makeHistoryOwner(database, servers.serverSecret, 0),
  ]
  await database.pool.query('UPDATE webhook_endpoints SET accounts = $2 WHERE tenant_id = $1', [
    filtered.tenantId,
    [accountOf(makeEvent('')), ...Array.from({ length: accounts - 1 }, () => createUuidv7())],
  ])
  const variants = {
    without: { ...observe(database, withoutCondition), tenantId: open.tenantId },
    unfiltered: { ...observe(database, (sql) => sql), tenantId: open.tenantId },
    filtered: { ...observe(database, (sql) => sql), tenantId: filtered.tenantId },
  }
  const figures = await compare(variants)
  await database.close()
  await servers.stop()
  return {
    servers: servers.facts,
    settings: { rounds, events_per_round: eventsPerRound, batch: batchSize, accounts },
    figures: { publish: figures },
  }
}

type Variants = Readonly<Record<'without' | 'unfiltered' | 'filtered', Variant>>

async function compare(variants: Variants): Promise<Table> {
  const names = Object.keys(variants) as (keyof Variants)[]
  const speeds = { without: [], unfiltered: [], filtered: [] } as Record<keyof Variants, number[]>
  // The first round warms all up.
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const speed = await publishRound(variants[name])
      if (round >= 0) speeds[name].push(speed)
    }
  }
  const publishes = ((rounds + 1) * eventsPerRound) / batchSize
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        published: ofRounds('/s', speeds[name]),
        ...(name !== 'without' && { ratio: ratioOfRounds(speeds[name], speeds.without) }),
        statements_per_publish: single('count', variants[name].statements() / publishes),
      },
    ]),
  )
}

/** Publishes events, and returns their number per second. */
async function publishRound({ database, tenantId }: Variant): Promise<number> {
  const startedAt = performance.now()
  for (let made = 0; made < eventsPerRound; made += batchSize) {
    const events = Array.from({ length: batchSize }, () => newEvent(tenantId))
    const { deliveries } = await publishEvents(database, events, undefined)
    if (deliveries.length !== 10 * batchSize) throw new Error(`${deliveries.length} deliveries`)
  }
  return (eventsPerRound * 1_000) / (performance.now() - startedAt)
}

function newEvent(tenantId: string) {
  const [id, createdAt] = [createUuidv7(), new Date()]
  const event = makeEvent(tenantId)
  const { type, data } = event
  return {
    id,
    eventId: id,
    idGiven: false,
    tenantId,
    type,
    patterns: patternsMatching(type),
    createdAt,
    payload: freezeEnvelope({ id, created_at: createdAt.toISOString(), ...event }),
    subject: { objectId: data['object_id']!, accountId: accountOf(event), name: null },
  }
}

const accountOf = ({ data }: ReturnType<typeof makeEvent>): string => data['account_id']!

function withoutCondition(sql: string): string {
  const edited = sql.replace(condition, '')
  if (edited === sql)
    throw new Error('matched-endpoints.sql no longer filters accounts as expected')
  return edited
}

/** The database with counted and edited prepared statements. */
function observe(database: Database, edit: (sql: string) => string) {
  let count = 0
  const hotPool = new Proxy(database.hotPool!, {
    get(pool, member) {
      if (member !== 'query') return Reflect.get(pool, member) as unknown
      return (query: { name: string; text: string }) => {
        count += 1
        const text = edit(query.text)
        // A connection keeps the text that it has prepared under a name.
        const name = text === query.text ? query.name : `${query.name}-edited`
        return pool.query({ ...query, name, text })
      }
    },
  })
  return { database: { ...database, hotPool }, statements: () => count }
}
