import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { makeOwnRedis, type OwnRedis } from '../support/own-redis.ts'
import { makeOwnStack, type OwnStack } from '../support/own-stack.ts'
import { startService, type SystemProcess } from '../support/processes.ts'
import { writeTemporary } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

let stack: OwnStack
let redis: OwnRedis
let client: pg.Client
let api: SystemProcess
let worker: SystemProcess

beforeAll(async () => {
  redis = await makeOwnRedis()
  stack = await makeOwnStack({ REDIS_URL: redis.url })
  client = new pg.Client({ connectionString: stack.databaseUrl })
  await client.connect()
  const environment = { ...stack.environment, NODE_OPTIONS: `--import=${moduleLister}` }
  api = await startService('api', environment)
  worker = await startService('worker', environment)
})
afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()])
  await client.end()
  await stack.remove()
  await redis.remove()
})

/**
 * Writes the addresses of all modules that a process loads to a file with its process id, and on SIGUSR2 the names of
 * those inside Node to another.
 */
const listModules = `
  import { appendFileSync, writeFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  const file = import.meta.dirname + '/' + process.pid
  registerHooks({
    load(url, context, nextLoad) {
      appendFileSync(file, url + '\\n')
      return nextLoad(url, context)
    },
  })
  process.on('SIGUSR2', () => writeFileSync(file + '-node', process.moduleLoadList.concat('end').join('\\n')))`
const moduleLister = writeTemporary('list-modules.mjs', listModules)

const listOf = (name: number | string): string =>
  readFileSync(join(dirname(moduleLister), String(name)), 'utf8')

const seconds = 10

interface Counts {
  readonly redisCommands: number
  readonly transactions: number
  readonly apiWakeUps: number
  readonly workerWakeUps: number
}

async function readCounts(): Promise<Counts> {
  const stats = String(await redis.command('INFO', 'commandstats'))
  const calls = [...stats.matchAll(/^cmdstat_[^:]+:calls=(\d+)/gm)].map(([, count]) =>
    Number(count),
  )
  const { rows } = await client.query<{ transactions: number }>(
    `SELECT xact_commit::int AS transactions FROM pg_stat_database WHERE datname = current_database()`,
  )
  return {
    redisCommands: calls.reduce((sum, count) => sum + count, 0),
    transactions: rows[0]!.transactions,
    apiWakeUps: wakeUpsOf(api),
    workerWakeUps: wakeUpsOf(worker),
  }
}

/** How often the main thread has waited and was woken. */
const wakeUpsOf = ({ pid }: SystemProcess): number =>
  Number(
    /^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1],
  )

// Other load on the machine does not change these counts.
test('an API and a worker with nothing to do rarely ask their servers, and rarely wake up', async () => {
  // The first rounds of the duties, which PostgreSQL counts up to 10 s after a connection has become idle.
  await setTimeout(15_000)
  const before = await readCounts()
  await setTimeout(seconds * 1_000)
  const after = await readCounts()
  const perSecond = (name: keyof Counts): number => (after[name] - before[name]) / seconds
  const found = {
    redisCommands: perSecond('redisCommands'),
    transactions: perSecond('transactions'),
    apiWakeUps: perSecond('apiWakeUps'),
    workerWakeUps: perSecond('workerWakeUps'),
  }
  expect(found.redisCommands).toBeLessThan(16)
  expect(found.transactions).toBeLessThan(14)
  expect(found.apiWakeUps).toBeLessThan(30)
  expect(found.workerWakeUps).toBeLessThan(50)
})

test('at rest, neither the query compiler of Prisma, nor Bull Board, nor WebAuthn is in memory', () => {
  for (const { pid } of [api, worker]) {
    const modules = listOf(pid).trim().split('\n').flatMap(sourcesOf).join('\n')
    expect(modules).toContain('/node_modules/pg/')
    expect(modules).not.toMatch(/query_compiler|bull-board|simplewebauthn/)
  }
})

test("at rest, Node's second HTTP client is not in memory", async () => {
  for (const { pid } of [api, worker]) {
    process.kill(pid, 'SIGUSR2')
    const list = async () => listOf(`${pid}-node`).split('\n')
    const modules = await until(
      () => list().catch(() => []),
      (names) => names.at(-1) === 'end',
    )
    expect(modules).toContain('NativeModule _http_client')
    expect(modules.filter((name) => name.includes('undici'))).toEqual([])
  }
})

/** The modules in a file of a bundle, with its own name, or the address of another module. */
function sourcesOf(url: string): readonly string[] {
  if (!url.includes('/dist/bundle/')) return [url]
  const map = JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')) as { sources: string[] }
  return [url, ...map.sources]
}
