import { expect, test } from '@jest/globals'
import { connect } from '../support/api.ts'
import { readiness, readMetric, untilRounds } from '../support/observe.ts'
import { startReceiver } from '../support/receiver.ts'
import { releaseHeld } from '../support/release-held.ts'
import { until, useStack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'

const stack = useStack({ WEBHOOK_JOB_HOLD_SECONDS: '0.5' })
const { subscribe, publish, listDeliveries, endedDelivery } = webhookUser(stack)
const keyring = (id: string, byte: number): string =>
  `${id}:${Buffer.alloc(32, byte).toString('base64')}`

/** Whether all of an endpoint's deliveries wait for a minute: no job holds a delivery for so long. */
async function arePostponed({ id }: { id: string }): Promise<boolean> {
  const { rows } = await stack.database.pool.query<{ postponed: boolean }>(
    `SELECT lease_id IS NULL AND held_until > now() + interval '20 s' AS postponed
     FROM pending_deliveries WHERE endpoint_id = $1`,
    [id],
  )
  return rows.length > 0 && rows.every(({ postponed }) => postponed)
}
const isTrue = (value: boolean): boolean => value

const countAttempts = async (): Promise<number> =>
  (await stack.database.pool.query('SELECT 1 FROM recorded_attempts')).rowCount!

test.each([
  ['without a keyring', ''],
  ['with a keyring that lacks the key', keyring('other', 7)],
  ['with another key of the same name', keyring('test', 8)],
])(
  'a worker %s makes no attempt and is not ready; the deliveries wait for a worker that can sign',
  async (_which, SECRETS_KEYRING) => {
    const receiver = await startReceiver()
    const tenant = await stack.api.makeTenant()
    const endpoint = await subscribe(tenant, receiver.url)
    const before = await countAttempts()
    const worker = await stack.startWorker({ SECRETS_KEYRING })
    await publish(tenant)
    await untilRounds(worker, 'relay', 3)
    expect(await readiness(worker)).toMatchObject({
      status: 503,
      checks: { database: 'ok', redis: 'ok', secrets: 'unavailable' },
    })
    expect(await countAttempts()).toBe(before)
    expect(await listDeliveries(endpoint)).toMatchObject([{ status: 'queued', attempt_count: 0 }])
    expect(await worker.stop()).toBe(0)

    const able = await stack.startWorker()
    expect(await endedDelivery(endpoint)).toMatchObject({ status: 'succeeded', attempt_count: 1 })
    expect(await able.stop()).toBe(0)
    await receiver.close()
  },
  120_000,
)

test('a worker whose keyring decrypts no secret resumes by itself when a secret appears that it can decrypt', async () => {
  const receiver = await startReceiver()
  const tenant = await stack.api.makeTenant()
  const former = await subscribe(tenant, receiver.url, ['site.created'])
  const overrides = { SECRETS_KEYRING: keyring('new', 9) }
  const worker = await stack.startWorker(overrides)
  await publish(tenant)
  expect((await readiness(worker)).status).toBe(503)

  const api = connect(stack.database, await stack.startApi(overrides))
  const subscribed = await webhookUser({ api }).subscribe(tenant, receiver.url, ['site.deleted'])
  await publish(tenant, 'site.deleted')
  expect(await endedDelivery(subscribed)).toMatchObject({ status: 'succeeded', attempt_count: 1 })
  expect(await readiness(worker)).toMatchObject({ status: 200, checks: { secrets: 'ok' } })
  await until(
    () => listDeliveries(former),
    ([waiting]) => waiting?.status === 'queued' && waiting.attempt_count === 0,
  )
  expect(receiver.requests).toHaveLength(1)
  expect(await worker.stop()).toBe(0)
  await receiver.close()
}, 120_000)

test('deliveries of one secret that cannot be decrypted wait without using an attempt and are logged once; others are sent', async () => {
  const receiver = await startReceiver()
  const tenant = await stack.api.makeTenant()
  const broken = await subscribe(tenant, receiver.url, ['site.created'])
  const sound = await subscribe(tenant, receiver.url, ['site.deleted'])
  const { rows } = await stack.database.pool.query<{ id: string; encrypted: string }>(
    'SELECT id, encrypted FROM webhook_secrets WHERE endpoint_id = $1',
    [broken.id],
  )
  const encrypt = (encrypted: string) =>
    stack.database.pool.query('UPDATE webhook_secrets SET encrypted = $2 WHERE id = $1', [
      rows[0]!.id,
      encrypted,
    ])
  await encrypt(rows[0]!.encrypted.replace('v1:test:', 'v1:lost:'))
  const worker = await stack.startWorker()
  for (let times = 0; times < 3; times++) await publish(tenant)
  await publish(tenant, 'site.deleted')
  expect(await endedDelivery(sound)).toMatchObject({ status: 'succeeded' })
  await until(() => arePostponed(broken), isTrue)
  await releaseHeld(stack.database)
  await until(() => arePostponed(broken), isTrue)
  // A job that a busy machine delays is created again, so there may be more.
  const postponements = 'hosting_attempts_postponed_total{reason="secret"}'
  await until(
    () => readMetric(worker, postponements),
    (count) => count >= 6,
  )
  expect(await readiness(worker)).toMatchObject({ status: 200, checks: { secrets: 'ok' } })
  expect(await listDeliveries(broken)).toMatchObject(
    Array.from({ length: 3 }, () => ({ status: 'queued', attempt_count: 0 })),
  )
  const logged = worker.lines.filter((line) =>
    line.includes('deliveries wait: a secret cannot be decrypted'),
  )
  expect(logged).toHaveLength(1)
  expect(logged[0]).toContain(broken.id)

  await encrypt(rows[0]!.encrypted)
  const isDelivered = ({ status }: { status: string }) => status === 'succeeded'
  await until(
    async () => {
      await releaseHeld(stack.database)
      return await listDeliveries(broken)
    },
    (deliveries) => deliveries.every(isDelivered),
  )
  expect(await worker.stop()).toBe(0)
  await receiver.close()
}, 120_000)
