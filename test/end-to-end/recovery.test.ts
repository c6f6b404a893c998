import { expect, test } from '@jest/globals'
import { connect } from '../support/api.ts'
import { startReceiver } from '../support/receiver.ts'
import { useStack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'

const stack = useStack({ WEBHOOK_JOB_HOLD_SECONDS: '0.5' })
const { subscribe, publish, attemptedDelivery, endedDelivery } = webhookUser(stack)

test('jobs that Redis lost before a worker took them are delivered from PostgreSQL', async () => {
  const receiver = await startReceiver()
  const tenant = await stack.api.makeTenant()
  const endpoint = await subscribe(tenant, receiver.url)
  const eventId = await publish(tenant)
  await stack.eachRedis((redis) => redis.flushdb())
  const worker = await stack.startWorker()
  const { body } = await receiver.next()
  expect(JSON.parse(body.toString())).toMatchObject({ id: eventId })
  expect(await endedDelivery(endpoint)).toMatchObject({ status: 'succeeded', attempt_count: 1 })
  expect(await worker.stop()).toBe(0)
  await receiver.close()
})

test('events published while Redis was unavailable are delivered when it is available again', async () => {
  const api = await stack.startApi({ REDIS_URL: 'redis://127.0.0.1:1' })
  const receiver = await startReceiver()
  const tenant = await stack.api.makeTenant()
  const endpoint = await subscribe(tenant, receiver.url)
  await webhookUser({ api: connect(stack.database, api) }).publish(tenant)
  const worker = await stack.startWorker()
  await receiver.next()
  expect(await endedDelivery(endpoint)).toMatchObject({ status: 'succeeded', attempt_count: 1 })
  expect(await worker.stop()).toBe(0)
  await receiver.close()
})

test('a worker that gets SIGTERM completes the attempts in progress and records them', async () => {
  const receiver = await startReceiver({ respond: () => 'hang' })
  const tenant = await stack.api.makeTenant()
  const endpoint = await subscribe(tenant, receiver.url)
  const worker = await stack.startWorker({ WEBHOOK_TIMEOUT_SECONDS: '1' })
  await publish(tenant)
  await receiver.next()
  expect(await worker.stop()).toBe(0)
  expect(await attemptedDelivery(endpoint)).toMatchObject({
    status: 'waiting_retry',
    attempts: [{ number: 1, error_class: 'timeout' }],
  })
  await receiver.close()
})
