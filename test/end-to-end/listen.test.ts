import { createClient, verifyWebhook, type ListenMessage } from '@hosting/sdk'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { connect, type TestApi } from '../support/api.ts'
import { siteData } from '../support/events.ts'
import { listen, listenWith, type TestListener } from '../support/listener.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { useStack, until } from '../support/stack.ts'

/** Three heartbeats are much longer than any delay of a busy machine. */
const heartbeatMs = 1_500
const stack = useStack({ LISTEN_HEARTBEAT_SECONDS: String(heartbeatMs / 1_000) })
let second: TestApi

beforeAll(async () => {
  second = connect(stack.database, await start())
  await canListen(stack.api.url)
})

/** Starts another process, and waits until it accepts streams: it subscribes to changes shortly after it listens. */
async function start(): Promise<ServiceProcess> {
  const service = await stack.startApi()
  await canListen(`http://127.0.0.1:${service.port}`)
  return service
}

async function canListen(url: string): Promise<void> {
  const { token } = await (await stack.api.makeTenant()).makeKey()
  const result = await until(
    () => listen(url, { authorization: `Bearer ${token}` }),
    (given) => 'secret' in given,
  )
  await (result as TestListener).leave()
}

const open: TestListener[] = []
afterEach(() => Promise.all(open.splice(0).map((listener) => listener.leave())))

async function begin(api: TestApi, token: string): Promise<TestListener> {
  const listener = await listenWith(api.url, token)
  open.push(listener)
  return listener
}

/** A process releases a stream's slot shortly after the client disconnects. */
const untilNobodyListens = (tenantId: string) =>
  until(
    () => stack.database.prisma.webhookListener.count({ where: { tenantId } }),
    (slots) => slots === 0,
  )

async function publish(api: TestApi, tenantId: string): Promise<string> {
  const event = { type: 'site.created', tenant_id: tenantId, data: siteData }
  const { status, body } = await api.callInternal('post', '/events', event)
  expect(status).toBe(202)
  return (body.items as { id: string }[])[0]!.id
}

const idOf = ({ body }: { body: string }): string => (JSON.parse(body) as { id: string }).id

test('an event accepted by one process reaches the streams of all processes, beginning with their first message', async () => {
  const tenant = await stack.api.makeTenant()
  const { token } = await tenant.makeKey()
  const earlier = new Set<string>()

  /** An event published just before a stream started may arrive on it. No other event is missed or repeated. */
  async function nextOf(listener: TestListener): Promise<string> {
    const id = idOf(await listener.next())
    return earlier.has(id) ? await nextOf(listener) : id
  }

  for (let round = 0; round < 5; round++) {
    const listener = await begin(stack.api, token)
    const id = await publish(second, tenant.id)
    expect(await nextOf(listener)).toBe(id)
    earlier.add(id)
    const atSecond = await begin(second, token)
    const next = await publish(stack.api, tenant.id)
    expect(await nextOf(atSecond)).toBe(next)
    expect(await nextOf(listener)).toBe(next)
    earlier.add(next)
    await Promise.all([listener.leave(), atSecond.leave()])
    await untilNobodyListens(tenant.id)
  }
})

test("the SDK's stream returns the secret, the events and the end", async () => {
  const third = await start()
  const tenant = await stack.api.makeTenant()
  const { token } = await tenant.makeKey()
  const messages: ListenMessage[] = []
  let id = ''
  const client = createClient({ baseUrl: `http://127.0.0.1:${third.port}`, token })
  for await (const message of client.listen()) {
    messages.push(message)
    if (message.kind === 'secret') id = await publish(second, tenant.id)
    if (message.kind === 'event') void third.stop()
  }
  const [secret, event, end] = messages
  if (secret?.kind !== 'secret' || event?.kind !== 'event') throw new Error('not in order')
  const signature = event.headers['Service-Signature']
  expect(await verifyWebhook(event.body, signature, secret.secret)).toMatchObject({ id })
  expect(end).toMatchObject({ kind: 'end', code: 'restarting' })
})

test('five streams can be open over all processes; the slots of a killed process are free after three heartbeats', async () => {
  const third = await start()
  const thirdUrl = `http://127.0.0.1:${third.port}`
  const tenant = await stack.api.makeTenant()
  const keys = await Promise.all(Array.from({ length: 9 }, () => tenant.makeKey()))
  const headersOf = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` })
  const headers = headersOf(keys.at(-1)!)
  const urls = [stack.api.url, second.url, thirdUrl]
  const results = await Promise.all(
    keys.map((key, index) => listen(urls[index % 3]!, headersOf(key))),
  )
  open.push(...results.filter((result): result is TestListener => 'secret' in result))
  expect(open).toHaveLength(5)
  await Promise.all(open.splice(0).map((listener) => listener.leave()))
  await untilNobodyListens(tenant.id)
  for (const { token } of keys.slice(0, 5)) await listenWith(thirdUrl, token)
  expect(await listen(stack.api.url, headers)).toMatchObject({ status: 409, code: 'conflict' })
  await third.kill()
  const { rows } = await stack.database.pool.query<{ ms: number }>(
    `SELECT extract(epoch FROM max(expires_at) - now())::float8 * 1000 AS ms
     FROM webhook_listeners WHERE tenant_id = $1`,
    [tenant.id],
  )
  expect(rows[0]!.ms).toBeLessThanOrEqual(3 * heartbeatMs)
  const again = await until(
    () => listen(stack.api.url, headers),
    (result) => 'secret' in result,
  )
  open.push(again as TestListener)
})

test('a key revoked at one process ends its stream at another', async () => {
  const tenant = await stack.api.makeTenant()
  const key = await tenant.makeKey()
  const listener = await begin(stack.api, key.token)
  await second.call('delete', `/api-keys/${key.id}`, { token: key.token })
  expect(await listener.ending()).toMatchObject({ code: 'invalid_api_key' })
})

test('SIGTERM ends all streams, even of clients that read nothing, and the process exits with 0 in time', async () => {
  const third = await start()
  const tenant = await stack.api.makeTenant()
  const { token } = await tenant.makeKey()
  const url = `http://127.0.0.1:${third.port}`
  const [listener, stalled] = [await listenWith(url, token), await listenWith(url, token)]
  open.push(stalled)
  stalled.pause()
  const ended = third.stop()
  expect(await listener.ending()).toMatchObject({ code: 'restarting' })
  expect(await ended).toBe(0)
})
