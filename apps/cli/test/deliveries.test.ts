import { beforeAll, describe, expect, test } from '@jest/globals'
import { siteData } from '../../../test/support/events.ts'
import { explainLastFailure, toTimeline } from '../src/deliveries/timeline.ts'
import { documentOf, failureOf, interruptible, linesOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)
let webhookId: string
let pingId: string
let pingEventId: string

const publish = () => {
  const event = { tenant_id: user.tenant.id, type: 'site.created', data: siteData }
  return user.api.callInternal('post', '/events', event)
}

/** The webhook is disabled, so every delivery waits. */
beforeAll(async () => {
  const words = [
    'webhooks',
    'create',
    '--json',
    '--url',
    'http://127.0.0.1:9/hook',
    '--event-type',
    '*',
  ]
  const created = documentOf(await hctl([...words, '--description', 'the shop']))
  webhookId = created.webhook.id
  const { delivery } = documentOf(await hctl(`webhooks ping ${webhookId} --json`))
  pingId = delivery.id
  pingEventId = delivery.event.id
  await hctl(`webhooks update ${webhookId} --no-enabled`)
  await publish()
})

const typesOf = (items: readonly { event: { type: string } }[]) =>
  items.map(({ event }) => event.type)

describe('hctl deliveries list', () => {
  test.each(['waiting_endpoint', 'Paused', 'paused'])('filters by --status %s', async (status) => {
    const line = `deliveries list --webhook ${webhookId} --status ${status} --since 1h --json`
    const { items } = documentOf(await hctl(line))
    expect(typesOf(items)).toEqual(['site.created', 'webhook.ping'])
    expect(items[0]).toMatchObject({ status: 'waiting_endpoint' })
  })

  test('exits with 2 for an unknown status and lists the valid ones', async () => {
    const unknown = await hctl('deliveries list --status lost')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toMatch(
      /queued, sending, retrying, paused, delivered, failed, in_flight/,
    )
  })

  test('filters by event type, and finds by event id', async () => {
    const typed = documentOf(await hctl('deliveries list --event-type site.created --json'))
    expect(typed.items).toHaveLength(1)
    const found = documentOf(await hctl(`deliveries list --find ${pingEventId} --json`))
    expect(found.items).toMatchObject([{ id: pingId, webhook: { id: webhookId, deleted: false } }])
  })

  test('shows the endpoint and the status in the panel’s words', async () => {
    const env = { NO_COLOR: '1' }
    const { stdout } = await hctl('deliveries list', { terminal: true, columns: 100, env })
    expect(stdout).toMatch(
      new RegExp(`${pingId.slice(0, 13)}\\S* +webhook\\.ping +the shop +Paused`),
    )
  })
})

describe('hctl deliveries show', () => {
  test('shows status, payload and no attempts before the first', async () => {
    const shown = await hctl(`deliveries show ${pingId}`)
    expect(shown.stdout).toMatch(/\nstatus +Paused\n[^]*\nPayload\n\{[^]*"type": "webhook.ping"/)
    expect(shown.stdout).not.toContain('ATTEMPT')
  })

  test('exits with 1 for an unknown id, and names it', async () => {
    expect((await hctl('deliveries show nonsense')).stderr).toContain(
      'There is no delivery with the id "nonsense"',
    )
  })
})

describe('the timeline of attempts', () => {
  const attempt = {
    id: 'a',
    number: 1,
    started_at: '2026-11-20T15:57:37.123Z',
    duration_ms: 31,
    status_code: 500,
    error_class: 'http_error',
  } as const
  const refused = { status_code: null, error_class: 'connection_refused' } as const
  const second = { ...attempt, ...refused, number: 2 }
  const delivery = {
    attempts: [attempt, second],
    attempt_count: 2,
    next_attempt_at: '2026-11-20T16:03:00.000Z',
  }
  const nowMs = Date.parse('2026-11-20T15:58:48.000Z')

  test('shows each result in words, and when the next attempt is due', () => {
    const entries = toTimeline(delivery as never, nowMs)
    expect(entries.map(({ number, result }) => [number, result])).toEqual([
      [1, 'HTTP 500'],
      [2, 'Connection refused'],
      [3, 'due in 4 m 12 s'],
    ])
    expect(entries[0]).toMatchObject({ time: '2026-11-20 15:57:37.123Z', duration: '31 ms' })
  })

  test('explains the last failure, and nothing after a success', () => {
    expect(explainLastFailure(delivery as never)).toEqual([
      'Last failure (Connection refused): Nothing accepts connections at the address and port.',
      expect.stringMatching(/^What to do: Check the server, the port and the firewall/),
    ])
    const success = { ...attempt, status_code: 204, error_class: null }
    expect(explainLastFailure({ attempts: [attempt, success] } as never)).toEqual([])
  })
})

describe('hctl deliveries redeliver', () => {
  test('creates a new delivery of the same event', async () => {
    const { items } = documentOf(await hctl(`deliveries redeliver ${pingId} --json`))
    expect(items[0]).toMatchObject({ redelivery_of: pingId, event: { id: pingEventId } })
  })
})

describe('hctl deliveries recover', () => {
  test('counts with --dry-run, and waits for the end with --wait', async () => {
    const line = `deliveries recover ${webhookId} --since 24h --json`
    expect(documentOf(await hctl(`${line} --dry-run`))).toEqual({ total: 0 })
    const recovered = await hctl(`${line} --wait`, { hurry: true })
    expect(documentOf(recovered).recovery).toMatchObject({ status: 'done', total: 0 })
  })
})

describe('hctl deliveries tail', () => {
  test('prints existing deliveries, then each one that is created or changes', async () => {
    const { signal, interrupt } = interruptible()
    const steps = [publish, () => hctl(`webhooks update ${webhookId} --enabled`)]
    let lines = 0
    const tailed = await hctl(`deliveries tail --webhook ${webhookId} --lines 1 --json`, {
      signal,
      hurry: true,
      whileWaiting: async () => void (await steps.shift()?.()),
      // One existing, one published, and all four when they leave `waiting_endpoint`.
      onText: () => (lines += 1) === 6 && interrupt(),
    })
    expect(failureOf(tailed)).toEqual({ exit: 130, code: 'interrupted' })
    const printed = linesOf(tailed) as unknown as { id: string; status: string }[]
    expect(printed[1]).toMatchObject({
      status: 'waiting_endpoint',
      event: { type: 'site.created' },
    })
    expect(printed.slice(2).map(({ status }) => status)).toEqual(Array(4).fill('queued'))
    expect(printed.at(2)!.id).toBe(pingId)
  })

  test('prints one line per delivery without --json, and exits quietly on Ctrl-C', async () => {
    const { signal, interrupt } = interruptible()
    const tailed = await hctl(`deliveries tail --webhook ${webhookId} --lines 1`, {
      signal,
      onText: interrupt,
    })
    expect(tailed).toMatchObject({ code: 130, stderr: '' })
    expect(tailed.stdout).toMatch(
      /^[-\d]+ [:\d]+Z {2}Queued {5}\S{36} {2}site\.created {2}the shop\n$/,
    )
  })
})
