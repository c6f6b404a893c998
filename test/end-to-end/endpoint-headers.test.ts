import { beforeAll, describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import type { TestTenant } from '../support/api.ts'
import { startReceiver, type ReceivedRequest, type Reply } from '../support/receiver.ts'
import { useStack } from '../support/stack.ts'
import { webhookUser, type Subscription } from '../support/webhook-user.ts'
import { needing } from '../support/needing.ts'

const stack = useStack({ WEBHOOK_RETRY_DELAYS_SECONDS: '0.2', LOG_LEVEL: 'trace' })
const { publish, endedDelivery } = webhookUser(stack)

beforeAll(() => stack.startWorker())

/** An endpoint with the fields, and its receiver. */
async function subscribe(fields: object, respond?: () => Reply | Promise<Reply>) {
  const receiver = await startReceiver(respond && { respond })
  const tenant = await stack.api.makeTenant()
  const { token } = await tenant.makeKey()
  const body = { url: receiver.url, events: ['*'], ...fields }
  const created = await stack.api.call('post', '/webhooks', { token, body })
  expect(created.status).toBe(201)
  const { webhook, secret } = created.body
  const endpoint: Subscription = { token, id: webhook.id, secret }
  return { receiver, tenant, endpoint }
}

async function change({ token, id }: Subscription, body: object): Promise<void> {
  expect((await stack.api.call('patch', `/webhooks/${id}`, { token, body })).status).toBe(200)
}

async function rotate({ token, id }: Subscription, grace_seconds: number): Promise<string> {
  const body = { grace_seconds }
  const response = await stack.api.call('post', `/webhooks/${id}/rotate-secret`, { token, body })
  return response.body.secret
}

describe('custom headers', () => {
  test('are on every attempt: retries, redeliveries, pings and tests', async () => {
    let failures = 1
    const headers = { Authorization: 'Bearer a.b c', 'X-Env': 'test' }
    const { receiver, tenant, endpoint } = await subscribe({ headers }, () => ({
      status: failures-- > 0 ? 500 : 204,
    }))
    await publish(tenant)
    const delivery = await endedDelivery(endpoint)
    expect(delivery).toMatchObject({ status: 'succeeded', attempt_count: 2 })
    const { token } = endpoint
    await stack.api.call('post', `/webhook-deliveries/${delivery.id}/redeliver`, { token })
    await stack.api.call('post', `/webhooks/${endpoint.id}/ping`, { token })
    const body = { event_type: 'backup.failed' }
    await stack.api.call('post', `/webhooks/${endpoint.id}/test`, { token, body })
    for (let count = 0; count < 5; count++) {
      const request = await receiver.next()
      expect(request.headers).toMatchObject({ authorization: 'Bearer a.b c', 'x-env': 'test' })
      expect(request.headers['service-signature']).toMatch(/^t=\d+,v1=/)
    }
    await receiver.close()
  })

  test('that change between two attempts are sent with the second', async () => {
    let changed = false
    const given = { headers: { 'X-A': 'old', 'X-B': 'old' } }
    const { receiver, tenant, endpoint } = await subscribe(given, async () => {
      if (changed) return { status: 204 }
      changed = true
      await change(endpoint, { headers: { 'X-A': 'new' } })
      return { status: 500 }
    })
    await publish(tenant)
    const [first, second] = [await receiver.next(), await receiver.next()]
    expect([first.headers['x-a'], first.headers['x-b']]).toEqual(['old', 'old'])
    expect([second.headers['x-a'], second.headers['x-b']]).toEqual(['new', undefined])
    await change(endpoint, { headers: null })
    await publish(tenant)
    expect((await receiver.next()).headers['x-a']).toBeUndefined()
    await receiver.close()
  })
})

/** Installs the package of PyPI once. Returns the interpreter, or `undefined` where that is not possible. */
function installPython(): string | undefined {
  const environment = new URL('../../.cache/standardwebhooks/', import.meta.url).pathname
  const python = `${environment}bin/python`
  const run = (command: string, args: readonly string[]) => spawnSync(command, args).status === 0
  const works = () => existsSync(python) && run(python, ['-c', 'import standardwebhooks'])
  if (works()) return python
  const isMade = run('python3', ['-m', 'venv', environment])
  if (isMade) run(python, ['-m', 'pip', 'install', '--quiet', 'standardwebhooks==1.1.0'])
  if (works()) return python
  return undefined
}

const verifier = `
import json, sys
from standardwebhooks import Webhook, WebhookVerificationError
given = json.load(sys.stdin)
def accepts(secret):
    try:
        return Webhook(secret).verify(given["body"], given["headers"])["id"] == given["id"]
    except WebhookVerificationError:
        return False
print(json.dumps([accepts(secret) for secret in given["secrets"]]))
`

/** A function that says for each secret whether the package accepts the request with it. */
type Verify = (request: ReceivedRequest, secrets: readonly string[]) => boolean[]

const withNpm: Verify = ({ body, headers }, secrets) =>
  secrets.map((secret) => {
    try {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>)
      return (event as { id: string }).id === headers['webhook-id']
    } catch {
      return false
    }
  })

const python = installPython()

const withPyPi: Verify = ({ body, headers }, secrets) => {
  const input = JSON.stringify({
    body: body.toString(),
    headers,
    secrets,
    id: headers['webhook-id'],
  })
  const { stdout, stderr } = spawnSync(python!, ['-c', verifier], { input, encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as boolean[]
}

describe('Standard Webhooks', () => {
  const sendOne = async (tenant: TestTenant, receiver: { next(): Promise<ReceivedRequest> }) => {
    await publish(tenant)
    return receiver.next()
  }

  async function expectVerified(verify: Verify): Promise<void> {
    const { receiver, tenant, endpoint } = await subscribe({ standard_webhooks: true })
    const first = endpoint.secret
    expect(verify(await sendOne(tenant, receiver), [first])).toEqual([true])
    const second = await rotate(endpoint, 3_600)
    const third = await rotate(endpoint, 3_600)
    const all = await sendOne(tenant, receiver)
    expect(String(all.headers['webhook-signature'])).toMatch(/^v1,\S+ v1,\S+ v1,\S+$/)
    expect(verify(all, [first, second, third])).toEqual([true, true, true])
    const fourth = await rotate(endpoint, 0)
    const last = await sendOne(tenant, receiver)
    expect(verify(last, [first, second, third, fourth])).toEqual([false, false, false, true])
    await receiver.close()
  }

  test('are verified by standardwebhooks of npm, during rotation too', () =>
    expectVerified(withNpm))

  const { test: testPyPi } = needing('standardwebhooks of PyPI', python !== undefined)
  testPyPi('are verified by standardwebhooks of PyPI, during rotation too', () =>
    expectVerified(withPyPi),
  )

  test("keep the event's id in retries and redeliveries, with a new signature", async () => {
    let failures = 1
    const { receiver, tenant, endpoint } = await subscribe({ standard_webhooks: true }, () => ({
      status: failures-- > 0 ? 500 : 204,
    }))
    const eventId = await publish(tenant)
    const delivery = await endedDelivery(endpoint)
    const { token } = endpoint
    await stack.api.call('post', `/webhook-deliveries/${delivery.id}/redeliver`, { token })
    for (let count = 0; count < 3; count++) {
      const request = await receiver.next()
      expect(request.headers['webhook-id']).toBe(eventId)
      expect(request.headers['webhook-timestamp']).toBe(request.headers['service-timestamp'])
      expect(withNpm(request, [endpoint.secret])).toEqual([true])
    }
    await receiver.close()
  })

  test('apply to the next attempt after they are turned on or off', async () => {
    const { receiver, tenant, endpoint } = await subscribe({})
    expect((await sendOne(tenant, receiver)).headers).not.toHaveProperty('webhook-id')
    await change(endpoint, { standard_webhooks: true })
    expect((await sendOne(tenant, receiver)).headers).toHaveProperty('webhook-signature')
    await change(endpoint, { standard_webhooks: false })
    expect((await sendOne(tenant, receiver)).headers).not.toHaveProperty('webhook-signature')
    await receiver.close()
  })
})
