import { openDatabase } from '@hosting/postgres/database'
import { beforeAll, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { root } from '../../tools/run.ts'
import { connect, type TestApi, type TestTenant } from '../support/api.ts'
import { administerServer, makeOwnStack, type OwnStack } from '../support/own-stack.ts'
import { startService, type ServiceProcess } from '../support/processes.ts'
import { startReceiver, type ReceivedRequest, type Reply } from '../support/receiver.ts'
import { until } from '../support/stack.ts'
import { webhookUser, type Subscription } from '../support/webhook-user.ts'
import { buildReleaseBeforeStop } from './previous-release.ts'

let former = ''
beforeAll(() => {
  former = buildReleaseBeforeStop()
}, 300_000)

/** A retry must not be due before the stop, and a dead delivery must not take long. */
const retryDelayMs = 8_000

/**
 * A release that needs a stop converts what the release before stored (docs/operations.md#upgrades). Before it, deliveries
 * are in every state; after it, each one ends as it would have without the upgrade.
 */
test('an upgrade with a stop loses, repeats and hides no delivery, whatever its state', async () => {
  const stack = await makeOwnStack({ WEBHOOK_RETRY_DELAYS_SECONDS: `${retryDelayMs / 1_000}` })
  await replaceDatabase(stack)
  await migrate(former, stack)
  const database = openDatabase(stack.databaseUrl, { onError: () => undefined })
  const start = (name: 'api' | 'worker', folder: string) =>
    startService(name, stack.environment, folder)
  const replies = new Map<string, Reply>()
  const receiver = await startReceiver({ respond: ({ path }) => replies.get(path)! })
  try {
    const before = { api: await start('api', former), worker: await start('worker', former) }
    const made = await makeDeliveries({
      api: connect(database, before.api),
      worker: before.worker,
      reply: (path, reply) => void replies.set(path, reply),
      receiver,
    })
    await expect(migrate(root, stack)).rejects.toThrow('needs a stop')
    expect(await before.api.stop()).toBe(0)
    await database.pool.end()

    expect(await migrate(root, stack)).toMatch(
      /\d+ of \d+ unfinished deliveries are in the queue only/,
    )
    for (const path of replies.keys()) replies.set(path, { status: 204 })
    const after = { api: await start('api', root), worker: await start('worker', root) }
    const own = openDatabase(stack.databaseUrl, { onError: () => undefined })
    const api = connect(own, after.api)
    await api.call('patch', `/webhooks/${made.paused.id}`, {
      token: made.paused.token,
      body: { enabled: true },
    })
    await until(
      async () => (await own.pool.query('SELECT FROM pending_deliveries')).rowCount,
      (count) => count === 0,
      60_000,
    )
    expect(await readAll(api, made.subscriptions)).toEqual(expected)
    expect(countRequests(receiver.requests)).toEqual({
      '/succeeded': 1,
      '/dead': 3,
      '/retried': 2,
      '/in-flight': 2,
      '/paused': 1,
      '/queued': 1,
    })
    await own.close()
    expect([await after.api.stop(), await after.worker.stop()]).toEqual([0, 0])
  } finally {
    await receiver.close()
    await stack.remove()
  }
})

/** By endpoint, newest first: the status and the numbers of the attempts, and whether it is a redelivery. */
const expected = {
  '/succeeded': [['succeeded', [1], false]],
  '/dead': [
    ['succeeded', [1], true],
    ['dead', [1, 2], false],
  ],
  '/retried': [['succeeded', [1, 2], false]],
  '/in-flight': [['succeeded', [1], false]],
  '/paused': [['succeeded', [1], false]],
  '/queued': [['succeeded', [1], false]],
}

const paths = Object.keys(expected) as (keyof typeof expected)[]

interface Making {
  readonly api: TestApi
  readonly worker: ServiceProcess
  readonly receiver: { readonly url: string; readonly requests: readonly ReceivedRequest[] }
  reply(path: string, reply: Reply): void
}

/** Makes a delivery of each state, each of an organization of its own. The worker is killed while it sends one. */
async function makeDeliveries({ api, worker, receiver, reply }: Making) {
  const user = webhookUser({ api })
  const tenants = new Map<string, TestTenant>()
  const subscriptions = new Map<string, Subscription>()
  for (const path of paths) {
    reply(path, { status: path === '/succeeded' ? 204 : 500 })
    const tenant = await api.makeTenant()
    tenants.set(path, tenant)
    subscriptions.set(path, await user.subscribe(tenant, `${receiver.url}${path.slice(1)}`))
  }
  const of = (path: (typeof paths)[number]): Subscription => subscriptions.get(path)!
  const send = (path: (typeof paths)[number]) => user.publish(tenants.get(path)!)

  await send('/succeeded')
  await user.endedDelivery(of('/succeeded'))
  await send('/dead')
  const dead = await user.endedDelivery(of('/dead'), 3 * retryDelayMs)
  expect(dead.status).toBe('dead')
  const paused = of('/paused')
  await api.call('patch', `/webhooks/${paused.id}`, {
    token: paused.token,
    body: { enabled: false },
  })
  await send('/paused')
  reply('/in-flight', 'hang')
  await send('/in-flight')
  await until(
    async () => receiver.requests.filter(({ path }) => path === '/in-flight').length,
    (count) => count === 1,
  )
  await send('/retried')
  await user.attemptedDelivery(of('/retried'))
  await worker.kill()
  await send('/queued')
  const { token } = of('/dead')
  const again = await api.call('post', `/webhook-deliveries/${dead.id}/redeliver`, { token })
  expect(again.status).toBe(202)
  return { subscriptions, paused }
}

async function readAll(api: TestApi, subscriptions: ReadonlyMap<string, Subscription>) {
  const read: Record<string, unknown[]> = {}
  for (const [path, { token, id }] of subscriptions) {
    const list = await api.call('get', `/webhooks/${id}/deliveries`, { token })
    read[path] = []
    for (const item of list.body.items) {
      const { body } = await api.call('get', `/webhook-deliveries/${item.id}`, { token })
      const { status, attempts, redelivery_of: original } = body.delivery
      const numbers = attempts.map(({ number }: { number: number }) => number)
      read[path].push([status, numbers, original !== null])
    }
  }
  return read
}

const countRequests = (requests: readonly ReceivedRequest[]): Record<string, number> =>
  Object.fromEntries(
    paths.map((path) => [path, requests.filter((request) => request.path === path).length]),
  )

/** Empties the database of a stack: a migration of a release before follows. */
async function replaceDatabase({ databaseUrl }: OwnStack): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  await administerServer(`DROP DATABASE ${name} WITH (FORCE)`)
  await administerServer(`CREATE DATABASE ${name}`)
}

/** Runs `npm run migrate` of a checkout. @throws Error with its output if it fails. */
async function migrate(folder: string, { databaseUrl }: OwnStack): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['tools/migrate.ts'], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
  return stdout
}
