import { beforeAll, describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { siteData } from '../../../test/support/events.ts'
import { writeTemporary } from '../../../test/support/temporary-folder.ts'
import { root } from '../../../tools/run.ts'
import { documentOf, failureOf, interruptible, linesOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)
let webhookId: string
const events: string[] = []

const publish = async (type = 'site.created', data: object = siteData): Promise<string> => {
  const event = { tenant_id: user.tenant.id, type, data }
  const { body } = await user.api.callInternal('post', '/events', event)
  return body.items[0].id as string
}

/** The webhook is made after the first event, and is disabled, so its deliveries wait. */
beforeAll(async () => {
  events.push(await publish())
  const words = ['webhooks', 'create', '--json', '--url', 'http://127.0.0.1:9/hook', '--event-type']
  webhookId = documentOf(await hctl([...words, 'site.*', '--no-enabled'])).webhook.id
  events.push(await publish())
  const account = { object_type: 'account', object_id: 'acc-9', account_id: 'acc-9' }
  await publish('account.created', account)
})

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id)

describe('hctl events list', () => {
  test('lists the event log, newest first, by type, object and account', async () => {
    const all = documentOf(await hctl('events list --json'))
    // The oldest event is that of the key of the sign-in.
    expect(all.items).toHaveLength(4)
    expect(all.items[3]).toMatchObject({ type: 'api_key.created' })
    expect(idsOf(all.items).slice(1, 3)).toEqual(events.toReversed())
    const sites = documentOf(await hctl('events list --event-type site.* --since 1h --json'))
    expect(idsOf(sites.items)).toEqual(events.toReversed())
    const account = documentOf(await hctl('events list --object acc-9 --account acc-9 --json'))
    expect(account.items).toMatchObject([{ type: 'account.created' }])
  })

  test('stops at --limit', async () => {
    const page = documentOf(await hctl('events list --event-type site.* --limit 1 --json'))
    expect(page).toMatchObject({ items: [{ id: events[1] }], has_more: true })
    const both = documentOf(await hctl('events list --event-type site.* --limit 2 --json'))
    expect(both).toMatchObject({ items: [{}, { id: events[0] }], has_more: false })
  })
})

describe('hctl events list --csv', () => {
  test('prints the log as a file, oldest event first', async () => {
    const { stdout, code } = await hctl('events list --event-type site.* --csv')
    const [header, ...lines] = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(header).toMatch(/^id,type,/)
    expect(lines.map((line) => line.split(',')[0])).toEqual(events)
  })

  test('prints deliveries with the filters of the list', async () => {
    const { stdout } = await hctl('deliveries list --event-type site.created --csv')
    const [header, ...lines] = stdout.trimEnd().split('\n')
    expect(header).toMatch(/^id,webhook_id,/)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(webhookId)
  })
})

describe('hctl events tail', () => {
  test('prints later events, and continues after a cursor', async () => {
    const follow = async (line: string) => {
      const { signal, interrupt } = interruptible()
      return linesOf(await hctl(line, { signal, onText: interrupt }))
    }
    const [first] = await follow('events tail --event-type site.* --since 1h --json')
    expect(first).toMatchObject({ event: { id: events[0] }, cursor: expect.any(String) })
    const { cursor } = first as unknown as { cursor: string }
    const [second] = await follow(`events tail --event-type site.* --after ${cursor} --json`)
    expect(second).toMatchObject({ event: { id: events[1] } })
  })
})

describe('hctl webhooks reconcile', () => {
  const reconcile = (ids: readonly string[], ...options: string[]) => {
    const file = writeTemporary('ids.txt', ids.join('\n'))
    return hctl(['webhooks', 'reconcile', webhookId, '--since', '1h', '--ids', file, ...options])
  }

  test('exits with 0 if the receiver has every event that the webhook subscribes to', async () => {
    const result = await reconcile(events, '--json')
    expect(result.code).toBe(0)
    expect(documentOf(result)).toEqual({ events: 2, stored: 2, missing: [], sent_twice: [] })
  })

  test('exits with 1, names missing events with their status, and says how to send them', async () => {
    const missing = await reconcile([], '--json')
    expect(missing.code).toBe(1)
    expect(JSON.parse(missing.stdout)).toMatchObject({
      missing: [
        { id: events[0], status: 'Not sent' },
        { id: events[1], status: 'Paused' },
      ],
    })
    const shown = await reconcile([events[1]!])
    expect(shown.stderr).toContain(`hctl deliveries recover ${webhookId} --since`)
  })

  test('names events that the receiver has stored twice', async () => {
    const listed = [...events, `"${events[0]!.toUpperCase()}",2026`]
    const result = await reconcile(listed, '--json')
    expect(documentOf(result).sent_twice).toEqual([{ id: events[0], delivered: 0, listed: 2 }])
  })

  test('reads the ids from stdin', async () => {
    const line = `webhooks reconcile ${webhookId} --since 1h --ids - --json`
    const result = await hctl(line, { stdin: `${events.join('\r\n')}\n` })
    expect(documentOf(result)).toMatchObject({ stored: 2, missing: [] })
  })

  test('takes what the query of the guide exports from its table', async () => {
    const guide = readFileSync(`${root}docs/webhooks.md`, 'utf8')
    const [table] = /CREATE TABLE webhook_events [^;]*;/.exec(guide)!
    const [, query] = /"(SELECT event_id FROM webhook_events [^"]*)"/.exec(guide)!
    const client = await user.api.database.pool.connect()
    await client.query('BEGIN')
    await client.query(table)
    await client.query('INSERT INTO webhook_events (event_id) SELECT unnest($1::uuid[])', [events])
    const { rows } = await client.query<{ event_id: string }>(query!)
    await client.query('ROLLBACK')
    client.release()
    const result = await reconcile(
      rows.map((row) => ` ${row.event_id}`),
      '--json',
    )
    expect(documentOf(result)).toMatchObject({ stored: 2, missing: [] })
  })

  test('exits with 2 if the file cannot be read', async () => {
    const line = `webhooks reconcile ${webhookId} --since 1h --ids /nonexistent --json`
    expect(failureOf(await hctl(line))).toMatchObject({ exit: 2 })
  })
})

describe('hctl deliveries recover', () => {
  test('counts, and sends events from before the webhook with --backfill', async () => {
    const line = `deliveries recover ${webhookId} --since 1h --backfill --json`
    expect(documentOf(await hctl(`${line} --dry-run`))).toEqual({ total: 1 })
    expect(documentOf(await hctl(line)).recovery).toMatchObject({ total: 1, done: 0 })
  })

  test('says which deliveries are waiting if there is nothing to recover', async () => {
    const created =
      'webhooks create --json --url http://127.0.0.1:9/two --event-type site.* --no-enabled'
    const { webhook } = documentOf(await hctl(created))
    await publish()
    const { stdout } = await hctl(`deliveries recover ${webhook.id} --since 1h`)
    expect(stdout).toContain('Nothing was sent')
    expect(stdout).toContain(`1 delivery is waiting: hctl webhooks retry ${webhook.id}`)
    const dry = await hctl(`deliveries recover ${webhook.id} --since 1h --dry-run`)
    expect(dry.stdout).toContain('Nothing to send')
    expect(dry.stdout).toContain(`1 delivery is waiting: hctl webhooks retry ${webhook.id}`)
  })
})

describe('hctl webhooks retry and hctl deliveries retry', () => {
  test('exit with 1 for a webhook or delivery that cannot be retried', async () => {
    const paused = await hctl(`webhooks retry ${webhookId} --json`)
    expect(failureOf(paused)).toMatchObject({ exit: 1, code: 'webhook_disabled' })
    const list = `deliveries list --webhook ${webhookId} --limit 1 --json`
    const { items } = documentOf(await hctl(list))
    const waiting = await hctl(`deliveries retry ${items[0].id} --json`)
    expect(failureOf(waiting)).toMatchObject({ exit: 1, code: 'conflict' })
  })

  test('retry counts the deliveries that are due now', async () => {
    const created = 'webhooks create --json --url http://127.0.0.1:9/three --event-type job.*'
    const { webhook } = documentOf(await hctl(created))
    const result = documentOf(await hctl(`webhooks retry ${webhook.id} --json`))
    expect(result).toEqual({ deliveries: 0 })
  })
})

describe('a filter that few events match', () => {
  test('returns every matching event, although a page of the log may be empty', async () => {
    // More events than the API examines for a page.
    const alert = { object_type: 'alert', object_id: 'alert-1', severity: 'info' }
    const event = { tenant_id: user.tenant.id, type: 'alert.firing', data: alert }
    const batch = { events: Array.from({ length: 1_000 }, () => event) }
    for (let published = 0; published < 10_000; published += batch.events.length) {
      expect((await user.api.callInternal('post', '/events', batch)).status).toBe(202)
    }
    const job = { object_type: 'job', object_id: 'job-1', job_type: 'backup' }
    const id = await publish('job.failed', job)
    const { items } = documentOf(await hctl('events list --event-type job.failed --json'))
    expect(idsOf(items)).toEqual([id])
  })

  test('reconcile names each of 10,000 missing events without a request for each', async () => {
    const url = 'http://127.0.0.1:9/alerts'
    const created = documentOf(
      await hctl(`webhooks create --json --url ${url} --event-type alert.*`),
    )
    const file = writeTemporary('none.txt', '')
    const line = `webhooks reconcile ${created.webhook.id} --since 1h --ids ${file} --json`
    const { code, stdout } = await hctl(line)
    expect(code).toBe(1)
    const { events: compared, missing } = JSON.parse(stdout)
    expect(compared).toBe(10_000)
    expect(missing).toHaveLength(10_000)
    expect(missing[0]).toMatchObject({ type: 'alert.firing', status: 'Not sent' })
  })
})
