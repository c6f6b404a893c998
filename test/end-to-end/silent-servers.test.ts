import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connect } from '../support/api.ts'
import type { ServiceProcess } from '../support/processes.ts'
import {
  startProxiedPostgres,
  startProxiedRedis,
  type ProxiedServer,
} from '../support/proxied-servers.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { useStack } from '../support/stack.ts'
import { until } from '../support/until.ts'
import { webhookUser } from '../support/webhook-user.ts'

const stack = useStack({ WEBHOOK_JOB_HOLD_SECONDS: '2' })

/** Twice what the specification allows, in ms, because a busy machine is slow. */
const toldMsMax = 2 * 15_000
const resumedMsMax = 2 * 30_000
const readyMsMax = 2 * 45_000

let servers: Record<'postgres' | 'redis', ProxiedServer>
let api: ServiceProcess
let worker: ServiceProcess
let receiver: Receiver
beforeAll(async () => {
  servers = { postgres: await startProxiedPostgres(stack), redis: await startProxiedRedis(stack) }
  const through = { ...servers.postgres.environment, ...servers.redis.environment }
  api = await stack.startApi(through)
  worker = await stack.startWorker(through)
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.close()
  await Promise.all([api.kill(), worker.kill()])
  await Promise.all(Object.values(servers).map((server) => server.close()))
})

const statusOf = async ({ internalPort }: ServiceProcess) => {
  const response = await fetch(`http://127.0.0.1:${internalPort}/readyz`)
  return (await response.json()) as { status: string; checks: Record<string, string> }
}
const isStatus = (wanted: string) => (body: { status: string }) => body.status === wanted
const areReady = () =>
  Promise.all([api, worker].map((each) => until(() => statusOf(each), isStatus('ok'), readyMsMax)))

test.each(['redis', 'postgres'] as const)(
  'if existing connections to %s stop responding, /readyz reports it, deliveries continue, and both processes recover',
  async (server) => {
    const caller = connect(stack.database, api)
    const { subscribe, publish } = webhookUser({ ...stack, api: caller })
    const tenant = await caller.makeTenant()
    await subscribe(tenant, receiver.url)
    await publish(tenant)
    await receiver.next()
    await areReady()

    servers[server].silence()
    const silentMs = Date.now()
    const told = Promise.all(
      [api, worker].map((each) =>
        until(
          () => statusOf(each),
          ({ status }) => status !== 'ok',
          toldMsMax,
        ),
      ),
    )
    await told
    await until(
      () =>
        publish(tenant).then(
          () => true,
          () => false,
        ),
      (isAccepted) => isAccepted,
      resumedMsMax,
    )
    await receiver.next()
    await areReady()
    expect(Date.now() - silentMs).toBeLessThan(readyMsMax + resumedMsMax)
  },
  240_000,
)
