import { openDatabase, type Database } from '@hosting/postgres'
import { verifyWebhook } from '@hosting/sdk'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startPostgres } from '../../tools/local-stack/postgres.ts'
import type { RunningServer } from '../../tools/local-stack/server.ts'
import { migrate } from '../../tools/migrations.ts'
import { root } from '../../tools/run.ts'
import { connect, type TestApi, type TestKey, type TestTenant } from '../support/api.ts'
import { callerOf, type Caller } from '../support/caller.ts'
import { environmentOn, testEnvironment } from '../support/environment.ts'
import { siteData } from '../support/events.ts'
import { getMachinePostgres } from '../support/machine-postgres.ts'
import { emptyRedis } from '../support/own-stack.ts'
import { startService, type ServiceProcess } from '../support/processes.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { blocksOf, readRunbook } from '../support/runbook.ts'
import { until } from '../support/stack.ts'
import { webhookUser, type Subscription } from '../support/webhook-user.ts'

const run = promisify(execFile)
const redisUrl = testEnvironment()['REDIS_URL']!

let directory: string
let postgres: RunningServer
let dumpFile: string
/** The folder of pg_dump and the other client programs. */
let programs: string
const running: ServiceProcess[] = []
const opened: Database[] = []

const environmentAt = (database: string): Record<string, string> =>
  environmentOn({
    DATABASE_URL: postgres.url(database),
    REDIS_URL: redisUrl,
    LOG_LEVEL: 'info',
    // In total longer than the time until the dump starts: deliveries that fail meanwhile are not dead in the dump.
    WEBHOOK_RETRY_DELAYS_SECONDS: '1,2,4,8,8,8',
    WEBHOOK_JOB_HOLD_SECONDS: '2',
  })

async function start(name: 'api' | 'worker', database: string): Promise<ServiceProcess> {
  const service = await startService(name, environmentAt(database))
  running.push(service)
  return service
}

function open(name: string): Database {
  const database = openDatabase(postgres.url(name), { onError: () => undefined })
  opened.push(database)
  return database
}

async function query<Row>(database: Database, sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await database.pool.query(sql, values)).rows as Row[]
}

/** Restores the dump into a new database, as the runbook describes. */
async function restore(name: string): Promise<Database> {
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
function statementOf(beginning: string, variables: Record<string, string>): string {
  const block = blocksOf(readRunbook(), 'sql').find((sql) => sql.trim().startsWith(beginning))!
  return block.replaceAll(/:'(\w+)'/g, (_all, name: string) => `'${variables[name]!}'`)
}

// The live system when it was dumped, and after.
let original: Database
let tenant: TestTenant
let good: Receiver
let failing: Receiver
/** The receiver at the former URL of an endpoint whose URL changed after the dump. */
let formerHome: Receiver
let newHome: Receiver
let isRepaired = false
let subscriptions: Subscription[]
let moved: Subscription
const keys = {} as Record<'living' | 'revokedBefore' | 'revokedAfter' | 'rotatedAfter', TestKey>
/** Events that got a 202 before the dump started. */
let acceptedBefore: string[]
let acceptedInAll: string[]
let dumpedAt: Date

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

async function revoke(api: Caller, { id, token }: TestKey): Promise<void> {
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

const statusOf = async (api: Caller, { token }: TestKey): Promise<number> =>
  (await api.call('get', '/auth/me', { token })).status

describe('a dump of the live system, restored with an empty Redis', () => {
  let restored: Database
  let api: Caller
  let sentHomeBefore: number
  let deliveries: { event_id: string; endpoint_id: string; id: string }[]

  beforeAll(async () => {
    restored = await restore('restored')
    sentHomeBefore = formerHome.requests.length
    deliveries = await query(
      restored,
      'SELECT id, event_id, endpoint_id FROM deliveries WHERE endpoint_id <> $1',
      [moved.id],
    )
    const unfinished = await unfinishedDeliveries()
    // The dump must be taken while events are published; otherwise the test proves nothing.
    expect(unfinished.length).toBeGreaterThan(0)
    expect(unfinished.length).toBeLessThan(deliveries.length)

    const moment = dumpedAt.toISOString()
    const lost = await query<{ id: string }>(
      original,
      statementOf('SELECT id FROM api_keys', { moment }),
    )
    const ids = lost.map(({ id }) => id)
    expect(ids.toSorted()).toEqual([keys.revokedAfter.id, keys.rotatedAfter.id].toSorted())
    await query(restored, statementOf('UPDATE api_keys', { keys: `{${ids.join(',')}}` }))
    const changed = await query<{ id: string }>(
      original,
      statementOf('SELECT id FROM webhook_endpoints', { moment }),
    )
    expect(changed).toEqual([{ id: moved.id }])
    await query(
      restored,
      statementOf(
        'UPDATE webhook_endpoints SET enabled = false, disabled_at = now()\nWHERE id = ANY',
        { endpoints: `{${moved.id}}` },
      ),
    )
    await emptyRedis(redisUrl)
    isRepaired = true
    const [service] = [await start('api', 'restored'), await start('worker', 'restored')]
    api = callerOf(service)
  }, 60_000)

  const unfinishedDeliveries = (): Promise<unknown[]> =>
    query(restored, 'SELECT 1 FROM pending_deliveries WHERE endpoint_id <> $1', [moved.id])

  test('contains every event that was accepted before it started, and none that was accepted after it', () => {
    const held = new Set(deliveries.map(({ event_id }) => event_id))
    expect(acceptedBefore.filter((id) => !held.has(id))).toEqual([])
    expect(acceptedInAll.some((id) => !held.has(id))).toBe(true)
  })

  test('every delivery in it arrives, signed with the secret of its owner', async () => {
    await until(unfinishedDeliveries, (rows) => rows.length === 0, 30_000)
    const arrived = new Set<string>()
    for (const [index, receiver] of [good, failing].entries()) {
      for (const { headers, body } of receiver.requests) {
        const signature = String(headers['service-signature'])
        const { id } = await verifyWebhook(body, signature, subscriptions[index]!.secret, {
          toleranceSeconds: 600,
        })
        arrived.add(`${id} ${subscriptions[index]!.id} ${String(headers['service-delivery'])}`)
      }
    }
    const missing = deliveries.filter(
      (each) => !arrived.has(`${each.event_id} ${each.endpoint_id} ${each.id}`),
    )
    expect(missing).toEqual([])
    const outcomes = await query(
      restored,
      'SELECT endpoint_id, outcome FROM deliveries GROUP BY 1, 2',
    )
    expect(outcomes).toHaveLength(3)
    for (const { id } of subscriptions) {
      expect(outcomes).toContainEqual({ endpoint_id: id, outcome: 'succeeded' })
    }
  })

  test('nothing is sent to the former URL of an endpoint', async () => {
    expect(sentHomeBefore).toBeGreaterThan(0)
    expect(formerHome.requests).toHaveLength(sentHomeBefore)
    const waiting = 'SELECT 1 FROM pending_deliveries WHERE endpoint_id = $1'
    expect((await query(restored, waiting, [moved.id])).length).toBeGreaterThan(0)
  })

  test('after following the runbook, active keys work, and no revoked key works', async () => {
    expect(await statusOf(api, keys.living)).toBe(200)
    expect(await statusOf(api, keys.revokedBefore)).toBe(401)
    expect(await statusOf(api, keys.revokedAfter)).toBe(401)
    expect(await statusOf(api, keys.rotatedAfter)).toBe(401)
  })

  test('the audit log verifies', async () => {
    await until(
      () => query(restored, 'SELECT 1 FROM audit_unsealed LIMIT 1'),
      (rows) => rows.length === 0,
    )
    const env = { PATH: process.env['PATH'], ...environmentAt('restored') }
    const { stdout } = await run(process.execPath, ['tools/verify-audit.ts'], { cwd: root, env })
    expect(stdout).toMatch(/^[1-9]\d* entries of 1 organizations, 0 faults$/m)
  })

  test('an event that a publisher sends again is accepted once', async () => {
    const event = { id: randomUUID(), tenant_id: tenant.id, type: 'site.created', data: siteData }
    await api.callInternal('post', '/events', event)
    expect((await api.callInternal('post', '/events', event)).status).toBe(202)
    const rows = await query(restored, 'SELECT 1 FROM events WHERE event_id = $1', [event.id])
    expect(rows).toHaveLength(1)
  })
})

describe('the same dump, with a Redis that is newer', () => {
  test('keys have the state of the database, although Redis has newer versions', async () => {
    await stopAll()
    await restore('restored_later')
    // Redis knows later versions of the keys, as in the original.
    await emptyRedis(redisUrl)
    const before = [await start('api', 'original'), await start('api', 'original')].map(callerOf)
    for (const api of before) {
      expect(await statusOf(api, keys.living)).toBe(200)
      expect(await statusOf(api, keys.revokedAfter)).toBe(401)
      expect(await statusOf(api, keys.rotatedAfter)).toBe(401)
    }
    await stopAll()

    const [one, other] = [
      callerOf(await start('api', 'restored_later')),
      callerOf(await start('api', 'restored_later')),
    ]
    // Without the runbook's statement these keys work again; the statement exists for this reason.
    for (const api of [one, other, one, other]) {
      expect(await statusOf(api, keys.revokedAfter)).toBe(200)
      expect(await statusOf(api, keys.rotatedAfter)).toBe(200)
      expect(await statusOf(api, keys.revokedBefore)).toBe(401)
    }
    // A change now raises the version to one that Redis already had. It must still apply immediately.
    await revoke(one, keys.revokedAfter)
    expect(await statusOf(other, keys.revokedAfter)).toBe(401)
    expect(await statusOf(one, keys.revokedAfter)).toBe(401)
  })
})

async function stopAll(): Promise<void> {
  for (const service of running.splice(0)) await service.stop()
}
