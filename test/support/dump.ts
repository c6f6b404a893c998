import { openDatabase, type Database } from '@hosting/postgres/database'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startPostgres } from '../../tools/local-stack/postgres.ts'
import type { RunningServer } from '../../tools/local-stack/server.ts'
import { migrate } from '../../tools/migrations.ts'
import { connect, type TestApi, type TestKey, type TestTenant } from './api.ts'
import { callerOf, type Caller } from './caller.ts'
import { environmentOn, testEnvironment } from './environment.ts'
import { siteData } from './events.ts'
import { getMachinePostgres } from './machine-postgres.ts'
import { emptyRedis } from './own-stack.ts'
import { startService, type ServiceProcess } from './processes.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import { blocksOf, readRunbook } from './runbook.ts'
import { until } from './stack.ts'
import { webhookUser, type Subscription } from './webhook-user.ts'

export const run = promisify(execFile)

export const redisUrl = testEnvironment()['REDIS_URL']!

export let directory: string

export let postgres: RunningServer

export let dumpFile: string

/** The folder of pg_dump and the other client programs. */
export let programs: string

export const running: ServiceProcess[] = []

export const opened: Database[] = []

export const environmentAt = (database: string): Record<string, string> =>
  environmentOn({
    DATABASE_URL: postgres.url(database),
    REDIS_URL: redisUrl,
    LOG_LEVEL: 'info',
    // In total longer than the time until the dump starts: deliveries that fail meanwhile are not dead in the dump.
    WEBHOOK_RETRY_DELAYS_SECONDS: '1,2,4,8,8,8',
    WEBHOOK_JOB_HOLD_SECONDS: '2',
  })

export async function start(name: 'api' | 'worker', database: string): Promise<ServiceProcess> {
  const service = await startService(name, environmentAt(database))
  running.push(service)
  return service
}

export function open(name: string): Database {
  const database = openDatabase(postgres.url(name), { onError: () => undefined })
  opened.push(database)
  return database
}

export async function query<Row>(
  database: Database,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await database.pool.query(sql, values)).rows as Row[]
}

/** Restores the dump into a new database, as the runbook describes. */
export async function restore(name: string): Promise<Database> {
  const administrator = open('postgres')
  await query(administrator, `CREATE DATABASE ${name}`)
  await run(join(programs, 'pg_restore'), [
    '--no-owner',
    '--exit-on-error',
    `--dbname=${postgres.url(name)}`,
    dumpFile,
  ])
  return open(name)
}

/** The runbook's statement that starts with this text, with psql's variables replaced. */
export function statementOf(beginning: string, variables: Record<string, string>): string {
  const block = blocksOf(readRunbook(), 'sql').find((sql) => sql.trim().startsWith(beginning))!
  return block.replaceAll(/:'(\w+)'/g, (_all, name: string) => `'${variables[name]!}'`)
}

// The live system when it was dumped, and after.
export let original: Database

export let tenant: TestTenant

export let good: Receiver

export let failing: Receiver

/** The receiver at the former URL of an endpoint whose URL changed after the dump. */
export let formerHome: Receiver

export let newHome: Receiver

let isRepaired = false

/** From now on, `failing` accepts deliveries. */
export function repairReceiver(): void {
  isRepaired = true
}

export let subscriptions: Subscription[]

export let moved: Subscription

export const keys = {} as Record<
  'living' | 'revokedBefore' | 'revokedAfter' | 'rotatedAfter',
  TestKey
>

/** Events that got a 202 before the dump started. */
export let acceptedBefore: string[]

export let acceptedInAll: string[]

export let dumpedAt: Date

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hosting-restore-'))
  const found = await getMachinePostgres(directory)
  programs = found.folder
  dumpFile = join(directory, 'hosting_control.dump')
  postgres = await startPostgres({ directory, durable: false }, () => Promise.resolve(found))
  await query(open('postgres'), 'CREATE DATABASE original')
  await migrate(postgres.url('original'))
  original = open('original')
  await emptyRedis(redisUrl)
  good = await startReceiver()
  formerHome = await startReceiver({ respond: () => ({ status: 503 }) })
  newHome = await startReceiver()
  failing = await startReceiver({ respond: () => ({ status: isRepaired ? 204 : 503 }) })

  const [api] = [await start('api', 'original'), await start('worker', 'original')]
  const testApi: TestApi = connect(original, api)
  tenant = await testApi.makeTenant()
  for (const name of ['living', 'revokedBefore', 'revokedAfter', 'rotatedAfter'] as const) {
    keys[name] = await tenant.makeKey()
  }
  const user = webhookUser({ api: testApi })
  subscriptions = [
    await user.subscribe(tenant, good.url),
    await user.subscribe(tenant, failing.url),
  ]
  moved = await user.subscribe(tenant, formerHome.url)
  await dumpUnderLoad(callerOf(api))
  for (const service of running.splice(0)) await service.kill()
}, 120_000)

/** Publishes continuously, takes the dump meanwhile, and changes keys before and after. */
async function dumpUnderLoad(api: Caller): Promise<void> {
  const accepted: string[] = []
  const enough = new AbortController()
  const publishing = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!enough.signal.aborted) {
        const event = { tenant_id: tenant.id, type: 'site.created', data: siteData }
        const { status, body } = await api.callInternal('post', '/events', event)
        expect(status).toBe(202)
        accepted.push(body.items[0].id)
      }
    }),
  )
  await revoke(api, keys.revokedBefore)
  await until(
    () => Promise.resolve(good.requests.length),
    (count) => count > 200,
    30_000,
  )
  acceptedBefore = [...accepted]
  dumpedAt = new Date()
  await run(join(programs, 'pg_dump'), [
    '--format=custom',
    `--file=${dumpFile}`,
    postgres.url('original'),
  ])
  await until(
    () => Promise.resolve(accepted.length),
    (count) => count > acceptedBefore.length + 50,
  )
  await revoke(api, keys.revokedAfter)
  const path = `/api-keys/${keys.rotatedAfter.id}/rotate`
  expect((await api.call('post', path, { token: keys.rotatedAfter.token, body: {} })).status).toBe(
    200,
  )
  const move = { token: moved.token, body: { url: newHome.url } }
  expect((await api.call('patch', `/webhooks/${moved.id}`, move)).status).toBe(200)
  enough.abort()
  await publishing
  acceptedInAll = accepted
}

export async function revoke(api: Caller, { id, token }: TestKey): Promise<void> {
  expect((await api.call('delete', `/api-keys/${id}`, { token })).status).toBe(204)
}

afterAll(async () => {
  for (const service of running) await service.stop()
  for (const database of opened) await database.close()
  await good.close()
  await failing.close()
  await formerHome.close()
  await newHome.close()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
})

export async function stopAll(): Promise<void> {
  for (const service of running.splice(0)) await service.stop()
}
