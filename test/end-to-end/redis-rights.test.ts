import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { callerAt, callerOf } from '../support/caller.ts'
import { siteData } from '../support/events.ts'
import { readiness } from '../support/observe.ts'
import { makeOwnRedis, type OwnRedis } from '../support/own-redis.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { readRunbook } from '../support/runbook.ts'
import { until, useStack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'

/** The two sets of rights that docs/operations.md names. */
const [, section] = readRunbook().split('**Rights in Redis:**')
const [simple, byGroup] = [...section!.matchAll(/```\n([^`]+)```/g)].map(([, text]) =>
  text!.trim().split(/\s+/),
) as [string[], string[]]

let redis: OwnRedis
let receiver: Receiver
const environment: Record<string, string> = { WEBHOOK_RETRY_DELAYS_SECONDS: '0.2,0.2,1,1,1,1' }
const allow = (...rules: string[]) => redis.command('ACL', 'SETUSER', 'service', ...rules)

beforeAll(async () => {
  redis = await makeOwnRedis()
  await allow('on', '>service', ...simple)
  const url = new URL(redis.url)
  Object.assign(url, { username: 'service', password: 'service' })
  environment['REDIS_URL'] = url.href
  const seen = new Set<string>()
  receiver = await startReceiver({
    respond({ headers }) {
      const delivery = String(headers['service-delivery'])
      const isFirst = !seen.has(delivery)
      seen.add(delivery)
      return { status: isFirst ? 503 : 204 }
    },
  })
})
const stack = useStack(environment)
afterAll(async () => {
  await receiver?.close()
  await redis?.remove()
})

test.each([
  ['all commands that are not dangerous', simple],
  ['groups of commands', byGroup],
])(
  'with the documented rights, %s, deliveries, retries and revocations work, and Redis refuses nothing',
  async (_name, rights) => {
    await allow('resetkeys', '-@all', ...rights)
    const before = receiver.requests.length
    const worker = await stack.startWorker()
    const callers = [callerAt(stack.api), callerOf(await stack.startApi())]
    const tenant = await stack.api.makeTenant()
    await webhookUser({ api: stack.api }).subscribe(tenant, receiver.url, ['site.*'])
    const event = { tenant_id: tenant.id, type: 'site.created', data: siteData }
    for (let count = 0; count < 20; count++) {
      expect((await stack.api.callInternal('post', '/events', event)).status).toBe(202)
    }
    await until(
      async () => receiver.requests.length - before,
      (count) => count >= 40,
    )
    const { id, token } = await tenant.makeKey()
    const statuses = () =>
      Promise.all(
        callers.map(async (caller) => (await caller.call('get', '/webhooks', { token })).status),
      )
    expect(await statuses()).toEqual([200, 200])
    expect((await callers[0]!.call('delete', `/api-keys/${id}`, { token })).status).toBe(204)
    expect(await statuses()).toEqual([401, 401])
    expect(await readiness(worker)).toMatchObject({ status: 200 })
    expect(await redis.command('ACL', 'LOG')).toEqual([])
  },
)

test.each(['info', 'evalsha', 'bzpopmin'])(
  'without the right to call %s, the log of a worker says that it was refused',
  async (command) => {
    await redis.command('ACL', 'LOG', 'RESET')
    await allow(`-${command}`)
    try {
      const worker = await stack.startWorker()
      await until(
        async () => worker.lines.join('\n'),
        (lines) => lines.includes('NOPERM'),
      )
      expect(JSON.stringify(await redis.command('ACL', 'LOG'))).toContain(command)
    } finally {
      await allow(`+${command}`)
    }
  },
)
