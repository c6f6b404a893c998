import { verifyWebhook } from '@hosting/sdk'
import { expect, test } from '@jest/globals'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { root } from '../../tools/run.ts'
import { startReceiver } from '../support/receiver.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { until, useStack } from '../support/stack.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { hctlInTerminal } from '../support/terminal.ts'
import { webhookUser } from '../support/webhook-user.ts'

const stack = useStack()
const { publish } = webhookUser(stack)
const executable = `${root}apps/cli/bin/hctl.js`

/** A user's machine, on which `hctl` runs as a process. */
async function makeMachine() {
  const config = makeTemporaryFolder()
  const env = { PATH: process.env['PATH']!, XDG_CONFIG_HOME: config, HCTL_URL: stack.api.url }
  const wordsOf = (line: string): string[] => [executable, ...line.split(' '), '--json']
  async function run(line: string, words: string[]): Promise<string> {
    const child = execFile(process.execPath, words, { env })
    let stdout = ''
    child.stdout!.on('data', (text: string) => (stdout += text))
    child.stderr!.pipe(process.stderr)
    const [code] = (await once(child, 'close')) as [number]
    expect({ line, code }).toEqual({ line, code: 0 })
    return stdout
  }
  return {
    env,
    /** Runs a command with `--json` and returns the document that it printed. */
    hctl: async <T>(line: string): Promise<T> => JSON.parse(await run(line, wordsOf(line))) as T,
    /** Runs a command and returns the text that it printed. */
    text: (line: string) => run(line, [executable, ...line.split(' ')]),
    /** Starts a command that keeps running, and returns its lines of JSON one by one. */
    start(line: string) {
      const child = spawn(process.execPath, wordsOf(line), {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
      const ended = once(child, 'close').then(([code]) => code as number)
      return {
        next: async () =>
          JSON.parse((await lines.next()).value as string) as Record<string, unknown>,
        interrupt() {
          child.kill('SIGINT')
          return ended
        },
      }
    },
  }
}

interface DeliveryOf {
  readonly id: string
  readonly status: string
  readonly event: { readonly id: string }
}

test('hctl works from login to logout: create a webhook, listen, receive an event, redeliver it, find a failed delivery', async () => {
  await stack.startWorker()
  const tenant = await stack.api.makeTenant()
  const person = await makeSignedIn(stack.api, tenant)
  const machine = await makeMachine()
  const { hctl } = machine

  const login = hctlInTerminal('login --no-browser --insecure-storage', machine.env)
  const [, userCode] = await login.shows(/Your code {2}([A-Z]{4}-[A-Z]{4})/)
  const path = `/auth/device/requests/${userCode}/approve`
  const approved = await callWith(stack.api, person)('post', path, { body: { access: 'full' } })
  expect(approved.status).toBe(200)
  expect(await login.ended).toBe(0)
  expect(login.screen).toContain(`✓ Signed in as ${person.email} · Acme`)
  const { key } = await hctl<{ key: { id: string } }>('whoami')

  let isBroken = false
  const receiver = await startReceiver({ respond: () => ({ status: isBroken ? 500 : 204 }) })
  const made = await hctl<{ webhook: { id: string }; secret: string }>(
    `webhooks create --url ${receiver.url}hook --event-type site.*`,
  )
  const local = await startReceiver()
  const listening = machine.start(`listen --forward-to ${local.url}local`)
  const opened = await listening.next()
  expect(opened).toMatchObject({ status: 'listening', secret: expect.stringMatching(/^whsec_/) })

  const eventId = await publish(tenant)
  const [sent, forwarded] = [await receiver.next(), await local.next()]
  expect(await listening.next()).toMatchObject({
    status: 'event',
    type: 'site.created',
    id: eventId,
    response: { status: 204 },
  })
  expect(forwarded.body.equals(sent.body)).toBe(true)
  for (const [request, secret] of [
    [sent, made.secret],
    [forwarded, opened['secret'] as string],
  ] as const) {
    const signature = request.headers['service-signature'] as string
    expect(await verifyWebhook(request.body, signature, secret)).toMatchObject({ id: eventId })
  }

  const listDeliveries = () =>
    hctl<{ items: DeliveryOf[] }>(`deliveries list --webhook ${made.webhook.id}`)
  const { items } = await until(listDeliveries, (list) => list.items[0]?.status === 'succeeded')
  expect(items).toMatchObject([{ event: { id: eventId } }])
  const again = await hctl<{ items: DeliveryOf[] }>(`deliveries redeliver ${items[0]!.id}`)
  expect(again.items[0]).toMatchObject({ redelivery_of: items[0]!.id })
  expect((await receiver.next()).body.equals(sent.body)).toBe(true)

  const timeline = await machine.text(`deliveries show ${items[0]!.id}`)
  expect(timeline).toMatch(/\nstatus +Delivered\n/)
  expect(timeline).toMatch(/\n +1 +[-\d]+ [:.\d]+Z +HTTP 204 +\d+ ms\n/)

  isBroken = true
  await publish(tenant)
  await receiver.next()
  const listRetrying = () =>
    hctl<{ items: DeliveryOf[] }>(`deliveries list --webhook ${made.webhook.id} --status retrying`)
  const retrying = await until(listRetrying, (list) => list.items.length > 0)
  const failure = await machine.text(`deliveries show ${retrying.items[0]!.id}`)
  expect(failure).toMatch(/\nstatus +Retrying\n/)
  expect(failure).toMatch(/ 1 +[-\d]+ [:.\d]+Z +HTTP 500 .*\n +2 .* due /)
  expect(failure).toContain('Last failure (HTTP 500): The endpoint responded with an error status.')

  expect(await listening.interrupt()).toBe(130)
  expect(await hctl('logout')).toMatchObject({ items: [{ revoked: true, key_id: key.id }] })
  const { rows } = await stack.database.pool.query(
    'SELECT revoked_at FROM api_keys WHERE id = $1',
    [key.id],
  )
  expect(rows[0].revoked_at).not.toBeNull()
  await Promise.all([receiver.close(), local.close()])
})
