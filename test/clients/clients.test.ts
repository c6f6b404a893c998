import { afterAll, describe, expect } from '@jest/globals'
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  cutShort,
  hangUp,
  html,
  json,
  problem,
  useServer,
} from '../../packages/sdk/test/support/server.ts'
import { root } from '../../tools/run.ts'
import { useApi } from '../support/api.ts'
import { siteData } from '../support/events.ts'
import { useCutProxy } from './cut-proxy.ts'
import { needing, succeeds, type Command } from '../support/needing.ts'

interface Calls {
  readonly clients: object
  readonly steps: readonly { readonly name: string; readonly expected: unknown }[]
}

interface Printed {
  readonly results: readonly unknown[]
  readonly saved: Readonly<Record<string, string>>
}

const folder = mkdtempSync(join(tmpdir(), 'hosting-clients-'))
const drivers = join(root, 'test/clients/drivers')
const { clients, steps } = JSON.parse(
  readFileSync(join(root, 'test/clients/calls.json'), 'utf8'),
) as Calls

const api = useApi()
const cut = useCutProxy(api)
const scripted = useServer()

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A language's client: how it is installed from the service, and how its driver runs. */
interface Language {
  readonly name: string
  /** Succeeds if the language is installed. */
  readonly probe: Command
  install(): Promise<void> | void
  readonly driver: Command
}

/** Runs a program with an input. */
async function run([command, ...args]: Command, input = ''): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: folder, PYTHONDONTWRITEBYTECODE: '1' }
  const child = spawn(command, args, { cwd: root, env })
  const [printed, errors] = [text(child.stdout), text(child.stderr)]
  child.stdin.end(input)
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0) throw new Error(`${command} failed: ${await printed}${await errors}`)
  return printed
}

const languages: readonly Language[] = [
  {
    name: 'TypeScript',
    probe: [process.execPath, '--version'],
    // test/docs/downloads.test.ts shows that the downloaded package has the same code.
    install: () => undefined,
    driver: [process.execPath, join(drivers, 'driver.ts')],
  },
  {
    name: 'Python',
    probe: ['python3', '-c', 'import sys, venv, ensurepip; assert sys.version_info >= (3, 9)'],
    async install() {
      await run(['python3', '-m', 'venv', join(folder, 'python')])
      const { url } = await fetch(`${api.url}/downloads/hosting_sdk.whl`, { method: 'HEAD' })
      await run([
        join(folder, 'python/bin/pip'),
        'install',
        '--no-index',
        '--disable-pip-version-check',
        url,
      ])
    },
    driver: [join(folder, 'python/bin/python'), join(drivers, 'driver.py')],
  },
]

/** An organization with five events, and what the calls need of it. */
async function makeVariables(): Promise<Record<string, string>> {
  const tenant = await api.makeTenant()
  const { token } = await tenant.makeKey()
  const limited = await api.call('post', '/api-keys', {
    token,
    body: { name: 'limited', scopes: ['webhooks:read'], rate_limit_per_minute: 1 },
  })
  // The clients read a log that begins with the events below.
  await api.database.pool.query('DELETE FROM events WHERE tenant_id = $1', [tenant.id])
  const events = [1, 2, 3, 4, 5].map((number) => ({
    type: 'site.created',
    tenant_id: tenant.id,
    data: { ...siteData, object_id: `site-${number}` },
  }))
  await api.callInternal('post', '/events', { events })
  const log = await api.call('get', '/events?limit=1', { token })
  const secret = 'whsec_of_the_endpoint'
  const body = JSON.stringify({
    id: tenant.id,
    type: 'site.created',
    created_at: new Date().toISOString(),
    tenant_id: tenant.id,
    data: { ...siteData, name: 'Zoë' },
  })
  const sign = (seconds: number): string =>
    `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
  const now = Math.floor(Date.now() / 1_000)
  return {
    url: api.url,
    token,
    limitedToken: limited.body.token as string,
    cutUrl: cut.url,
    scriptedUrl: scripted.baseUrl,
    eventCursor: log.body.next_cursor as string,
    start: new Date().toISOString(),
    body,
    secret,
    header: sign(now),
    oldHeader: sign(now - 301),
  }
}

const atOnce = { 'retry-after': '0' }

/** The responses to the calls of the client `scripted`, in their order. */
const script = () => [
  hangUp,
  html,
  cutShort,
  json(202, { delivery: { id: 'first' } }),
  problem(429, 'rate_limited', atOnce),
  problem(503, 'service_unavailable', { 'retry-after': new Date().toUTCString() }),
  problem(409, 'idempotency_in_progress', atOnce),
  json(202, { delivery: { id: 'second' } }),
  problem(429, 'rate_limited', { 'retry-after': '31' }),
  json(404, 'nothing here'),
  json(302, '', { location: `${scripted.baseUrl}/elsewhere` }),
  hangUp,
]

/** How often each call of the client `scripted` is sent. */
const attempts = [4, 4, 1, 1, 1, 1]

describe('the clients make the same calls with the same results', () => {
  for (const language of languages) {
    needing(language.name, succeeds(language.probe)).test(language.name, async () => {
      await language.install()
      cut.keys.clear()
      scripted.responders = script()
      const input = JSON.stringify({ variables: await makeVariables(), clients, steps })
      const printed = JSON.parse(await run(language.driver, input)) as Printed

      const named = printed.results.map((result, at) => [steps[at]?.name, result])
      const webhook = printed.saved['webhook']!
      const expected = JSON.parse(
        JSON.stringify(steps.map(({ name, expected: result }) => [name, result])).replaceAll(
          '$webhook',
          webhook,
        ),
      ) as unknown
      expect(named).toEqual(expected)
      expectRetries(webhook)
    })
  }
})

function expectRetries(webhook: string): void {
  for (const path of ['ping', 'rotate-secret']) {
    const keys = cut.keys.get(`/api/v1/webhooks/${webhook}/${path}`)!
    expect(keys).toEqual([keys[0], keys[0]])
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  }
  const sent = scripted.requests.splice(0)
  let from = 0
  for (const times of attempts) {
    const same = sent.slice(from, from + times)
    from += times
    const [first] = same
    const { method, url, headers } = first!
    const isKeyed = method !== 'GET' && !url.endsWith('/auth/revoke')
    expect(headers['idempotency-key']).toEqual(isKeyed ? expect.any(String) : undefined)
    for (const each of same) {
      expect([each.method, each.url, each.body]).toEqual([method, url, first!.body])
      expect(each.headers['idempotency-key']).toBe(headers['idempotency-key'])
      expect(each.headers.authorization).toMatch(/^Bearer hctl_/)
    }
  }
  expect(sent).toHaveLength(from)
}
