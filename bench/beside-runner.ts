// Runs rounds of one checkout on command, for beside.ts, which copies this file into the other checkout.
import { createInterface } from 'node:readline'
import { startFullPipeline } from './pipelines.ts'
import { memoryOf, startNode } from './processes.ts'
import { keepUp, sustain } from './rounds.ts'
import { useBenchServers } from './servers.ts'

/** What to do, a line of standard input each. */
export type Command =
  | { readonly kind: 'sustain'; readonly events: number; readonly batchSize: number }
  | { readonly kind: 'steady'; readonly perSecond: number; readonly seconds: number }
  | { readonly kind: 'disk'; readonly events: number; readonly batchSize: number }
  | { readonly kind: 'rest'; readonly seconds: number }

/** What a round measured, a line of standard output each. */
export type Measured = Readonly<Record<string, number>>

const servers = await useBenchServers({ durable: true })
const receiver = await startNode('bench/receiver.ts', {})
const full = await startFullPipeline(servers, `${receiver.url}/hook`, { tenants: 10 })

async function measure(command: Command): Promise<Measured> {
  if (command.kind === 'steady') {
    return await counting(command.perSecond * command.seconds, () =>
      keepUp(full, receiver, command),
    )
  }
  if (command.kind === 'rest') {
    return await counting(command.seconds, async () => {
      await new Promise((resolve) => setTimeout(resolve, command.seconds * 1_000))
      return { memoryMiB: memoryOf(full.api.pid) + memoryOf(full.worker.pid) }
    })
  }
  const { events: amount, batchSize, kind } = command
  const extent = { amount, aheadMax: 500, batchSize, publishers: batchSize === 1 ? 50 : 4 }
  const deliver = async (): Promise<Measured> => {
    const { deliveredPerSecond } = await sustain(full, receiver, extent)
    return { deliveredPerSecond }
  }
  return await (kind === 'disk' ? growth(amount, deliver) : counting(amount, deliver))
}

/** The bytes that tables and indexes grow by, per unit. */
async function growth(units: number, run: () => Promise<unknown>): Promise<Measured> {
  const before = await readSizes()
  await run()
  const grown = Object.entries(await readSizes()).map(([name, bytes]) => [
    name,
    (bytes - before[name]!) / units,
  ])
  return Object.fromEntries(grown)
}

/** The bytes of the tables with their TOAST tables, and of their indexes. `queues`: what is removed or merged again. */
async function readSizes(): Promise<Measured> {
  const { rows } = await full.database.pool.query<{ name: string; table: number; indexes: number }>(
    `SELECT CASE WHEN root IN ('events', 'deliveries', 'delivery_attempts', 'published_event_ids') THEN root
         WHEN root ~ '^(pending|endpoint_wake|attempt_|usage_)' THEN 'queues' ELSE 'others' END AS name,
       sum(pg_table_size(oid))::float8 AS table, sum(pg_indexes_size(oid))::float8 AS indexes
     FROM (SELECT oid, regexp_replace(relname, '_[0-9]{8}$', '') AS root FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace) AS relation
     GROUP BY 1`,
  )
  return Object.fromEntries([
    ['total', rows.reduce((sum, { table, indexes }) => sum + table + indexes, 0)],
    ...rows.flatMap(({ name, table, indexes }) => [
      [name, table],
      [`${name}_indexes`, indexes],
    ]),
  ])
}

/** Adds the processor time in µs by process, and the bytes of write-ahead log, both per unit. */
async function counting(units: number, run: () => Promise<Measured>): Promise<Measured> {
  const [cpuBefore, walBefore] = [await full.cpu(), await readWal()]
  const figures = await run()
  const [cpu, wal] = [await full.cpu(), await readWal()]
  const used = Object.entries(cpu).map(([name, seconds]) => [
    `cpu_${name}`,
    ((seconds - cpuBefore[name]!) * 1e6) / units,
  ])
  return { ...figures, ...Object.fromEntries(used), walBytes: (wal - walBefore) / units }
}

async function readWal(): Promise<number> {
  const { rows } = await full.database.pool.query<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes`,
  )
  return rows[0]!.bytes
}

const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

print(servers.facts)
for await (const line of createInterface(process.stdin)) {
  print(await measure(JSON.parse(line) as Command))
}
await Promise.all([full.stop(), receiver.stop()])
await servers.stop()
process.exit(0)
