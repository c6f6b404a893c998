import { createUuidv7 } from '@hosting/core/ids'
import { freezeEnvelope, patternsMatching } from '@hosting/core/webhooks'
import { makePartitions, type Database } from '@hosting/postgres/database'
import { publishEvents, type NewEvent } from '@hosting/postgres/webhooks'
import { ofRounds } from './figures.ts'
import { makeHistoryOwner } from './history-data.ts'
import type { Table } from './results.ts'

/** The indexes for the event log, and those by which filters find unfinished deliveries. */
const indexes = [
  'events_log_idx',
  'events_log_object_idx',
  'events_log_account_idx',
  'events_unlogged_idx',
  'pending_deliveries_event_ref_idx',
]

const rounds = 5
const batches = 20
const eventsPerBatch = 50

/** What the indexes cost a publish, in alternating rounds: with all indexes, and in a database without these. */
export async function measureIndexes(all: Database, fewer: Database): Promise<Table> {
  await fewer.pool.query(`DROP INDEX ${indexes.join(', ')}`)
  const sides = [await prepare(all), await prepare(fewer)]
  for (let round = -1; round < rounds; round++) {
    for (const side of sides) {
      const measured = await publishRound(side)
      // The first round warms both up.
      if (round >= 0) side.rounds.push(measured)
    }
  }
  const [withIndexes, without] = sides.map(({ rounds: taken }) => ({
    wal: ofRounds(
      'MiB',
      taken.map(({ walMib }) => walMib),
    ),
    time: ofRounds(
      'µs',
      taken.map(({ us }) => us),
    ),
  }))
  return { with_indexes: withIndexes!, without_indexes: without! }
}

interface Side {
  readonly database: Database
  readonly tenantId: string
  readonly rounds: Round[]
}

/** The WAL of 1,000 events, and the time of each. */
interface Round {
  readonly walMib: number
  readonly us: number
}

async function prepare(database: Database): Promise<Side> {
  await makePartitions(database)
  const { tenantId } = await makeHistoryOwner(database, Buffer.alloc(32), 0)
  return { database, tenantId, rounds: [] }
}

async function publishRound({ database, tenantId }: Side): Promise<Round> {
  const from = await walPosition(database)
  const before = performance.now()
  for (let batch = 0; batch < batches; batch++) {
    await publishEvents(database, makeEvents(tenantId, batch), undefined)
  }
  const events = batches * eventsPerBatch
  const us = ((performance.now() - before) * 1_000) / events
  const bytes = (await walPosition(database)) - from
  return { walMib: ((bytes / events) * 1_000) / 2 ** 20, us }
}

async function walPosition({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `SELECT (pg_current_wal_insert_lsn() - '0/0')::float AS bytes`,
  )
  return rows[0]!.bytes
}

const makeEvents = (tenantId: string, batch: number): NewEvent[] =>
  Array.from({ length: eventsPerBatch }, (_, index) => {
    const number = batch * eventsPerBatch + index
    const [id, createdAt, type] = [createUuidv7(), new Date(), 'site.updated']
    const data = { object_id: `website-${number}` }
    return {
      id,
      eventId: id,
      idGiven: false,
      tenantId,
      type,
      patterns: patternsMatching(type),
      createdAt,
      payload: freezeEnvelope({
        id,
        type,
        created_at: createdAt.toISOString(),
        tenant_id: tenantId,
        data,
      }),
      subject: {
        objectId: `website-${number}`,
        accountId: `account-${number % 100}`,
        name: `shop-${number}.example`,
      },
    }
  })
