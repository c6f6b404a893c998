import { beforeAll, describe, expect, test } from '@jest/globals'
import { failure, lastFailure, makeAttempts, success } from '../../api/test/support/attempts.ts'
import { siteData } from '../../../test/support/events.ts'
import { writeTemporary } from '../../../test/support/temporary-folder.ts'
import { documentOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)

interface Sent {
  readonly event: string
  readonly delivery: string
}

/** Publishes an event, and makes attempts of its delivery to a webhook. */
async function send(
  webhook: string,
  type: string,
  attempts: Parameters<typeof makeAttempts>[2],
  data: object = {},
): Promise<Sent> {
  const body = {
    tenant_id: user.tenant.id,
    type,
    data: type.startsWith('site.') ? { ...siteData, ...data } : data,
  }
  const { body: published } = await user.api.callInternal('post', '/events', body)
  const event = published.items[0].id as string
  const { rows } = await user.api.database.pool.query<{ id: string }>(
    'SELECT id FROM all_deliveries WHERE event_id = $1 AND endpoint_id = $2',
    [event, webhook],
  )
  await makeAttempts(user.api, rows[0]!.id, attempts)
  return { event, delivery: rows[0]!.id }
}

const deliveriesOf = async (options: string): Promise<string[]> => {
  const { items } = documentOf(await hctl(`deliveries list --json ${options}`))
  return (items as { id: string }[]).map(({ id }) => id)
}

async function makeWebhook(event: string): Promise<string> {
  const line = `webhooks create --json --url http://127.0.0.1:9/${event} --event-type ${event}`
  return documentOf(await hctl(line)).webhook.id
}

describe('after an outage', () => {
  let webhook: string
  let waiting: Sent
  let other: Sent
  let arrived: Sent
  beforeAll(async () => {
    webhook = await makeWebhook('site.*')
    const subject = { object_id: 'site-7', account_id: 'acc-7', primary_domain: 'seven.example' }
    waiting = await send(webhook, 'site.created', [failure], subject)
    other = await send(webhook, 'site.created', [failure])
    arrived = await send(webhook, 'site.deleted', [success], { account_id: 'acc-7' })
  })

  test('deliveries list filters by object, account, status code and error class', async () => {
    expect(await deliveriesOf('--object site-7')).toEqual([waiting.delivery])
    expect(await deliveriesOf('--account acc-7')).toEqual([arrived.delivery, waiting.delivery])
    expect(await deliveriesOf('--status-code 204')).toEqual([arrived.delivery])
    const failed = await deliveriesOf('--error-class http_error')
    expect(failed).toEqual([other.delivery, waiting.delivery])
  })

  test('deliveries list --find finds an object and a domain, and explains an empty result', async () => {
    expect(await deliveriesOf('--find site-7')).toEqual([waiting.delivery])
    expect(await deliveriesOf('--find SEVEN.example')).toEqual([waiting.delivery])
    const nothing = await hctl(['deliveries', 'list', '--find', "%' OR 1=1"])
    expect(nothing.code).toBe(0)
    expect(nothing.stderr).toContain("No deliveries. “%' OR 1=1” is not the id of a delivery")
  })

  test('deliveries recover without dead deliveries names the waiting ones and the command that sends them', async () => {
    for (const option of ['', ' --wait', ' --dry-run']) {
      const { stdout } = await hctl(`deliveries recover ${webhook} --since 1h${option}`)
      const outcome = option === ' --dry-run' ? 'Nothing to send' : 'Nothing was sent'
      expect(stdout).toContain(`${outcome}: no event of the time range is to be recovered.`)
      expect(stdout).toContain(`2 deliveries are waiting: hctl webhooks retry ${webhook}`)
      expect(stdout).not.toContain('done')
    }
  })

  test('webhooks reconcile names the command that sends waiting deliveries', async () => {
    const ids = writeTemporary('stored.txt', arrived.event)
    const line = `webhooks reconcile ${webhook} --since 1h --ids ${ids}`
    const { code, stdout, stderr } = await hctl(line)
    expect(code).toBe(1)
    expect(stdout).toMatch(new RegExp(`${waiting.event} +site\\.created +Retrying`))
    expect(stdout).toContain('3 events, 2 missing, 0 sent twice.')
    expect(stderr).toContain(`Retrying: they are sent by themselves`)
    expect(stderr).toContain(`hctl webhooks retry ${webhook}`)
    expect(stderr).not.toContain('hctl deliveries')
  })

  test('webhooks reconcile names events that were delivered twice', async () => {
    const again = documentOf(await hctl(`deliveries redeliver ${arrived.delivery} --json`))
    await makeAttempts(user.api, again.items[0].id, [success])
    const ids = [waiting, other, arrived].map(({ event }) => event).join('\n')
    const file = writeTemporary('stored.txt', ids)
    const line = `webhooks reconcile ${webhook} --since 1h --ids ${file} --json`
    expect(documentOf(await hctl(line))).toEqual({
      events: 3,
      stored: 3,
      missing: [],
      sent_twice: [{ id: arrived.event, delivered: 2, listed: 1 }],
    })
  })

  test('deliveries retry makes one delivery due, and webhooks retry makes the others due', async () => {
    const { delivery } = documentOf(await hctl(`deliveries retry ${waiting.delivery} --json`))
    expect(delivery).toMatchObject({ id: waiting.delivery, status: 'waiting_retry' })
    expect(Date.parse(delivery.next_attempt_at)).toBeLessThanOrEqual(Date.now())
    const all = documentOf(await hctl(`webhooks retry ${webhook} --json`))
    expect(all).toEqual({ deliveries: 1 })
  })
})

test('deliveries recover --status any --event-type also resends successful deliveries of these types', async () => {
  const webhook = await makeWebhook('job.*')
  const job = { object_type: 'job', object_id: 'job-1', job_type: 'backup' }
  await send(webhook, 'job.failed', [lastFailure], job)
  await send(webhook, 'job.succeeded', [success], job)
  const line = `deliveries recover ${webhook} --since 1h --json`
  const ofType = `${line} --status any --event-type job.succeeded`
  expect(documentOf(await hctl(`${line} --dry-run`))).toEqual({ total: 1 })
  expect(documentOf(await hctl(`${line} --status any --dry-run`))).toEqual({ total: 2 })
  expect(documentOf(await hctl(`${ofType} --dry-run`))).toEqual({ total: 1 })
  expect(documentOf(await hctl(ofType)).recovery).toMatchObject({ status: 'running', total: 1 })
})

describe('webhooks reconcile says what to do about missing events', () => {
  const alert = { object_type: 'alert', object_id: 'alert-1', severity: 'info' }
  const backup = { object_type: 'backup', object_id: 'backup-1', account_id: 'acc-1' }

  async function reconcile(webhook: string, ...options: string[]) {
    const ids = writeTemporary("nobody's ids.txt", '')
    const words = ['webhooks', 'reconcile', webhook, '--since', '1h', '--ids', ids, ...options]
    const result = await hctl(words)
    expect(result.code).toBe(1)
    return { ...result, ids }
  }

  /** Runs the command that a line of the advice ends with. */
  async function runAdvice(advice: string, label: string) {
    const [, command] = new RegExp(`^ +${label}: hctl (.+)$`, 'm').exec(advice)!
    return documentOf(await hctl(`${command} --json`))
  }

  test('that arrived: to redeliver their deliveries', async () => {
    const webhook = await makeWebhook('alert.firing')
    const lost = await send(webhook, 'alert.firing', [success], alert)
    const { stderr } = await reconcile(webhook)
    expect(stderr).not.toContain('hctl deliveries recover')
    const { items } = await runAdvice(stderr, 'Delivered')
    expect(items).toMatchObject([{ redelivery_of: lost.delivery, event: { id: lost.event } }])
    expect(await deliveriesOf(`--webhook ${webhook}`)).toEqual([items[0].id, lost.delivery])
  })

  test('of which many arrived: which filter selects their deliveries', async () => {
    const webhook = await makeWebhook('alert.resolved')
    const lost: Sent[] = []
    for (let sent = 0; sent < 6; sent += 1) {
      lost.push(await send(webhook, 'alert.resolved', [success], alert))
    }
    const { stderr, ids } = await reconcile(webhook)
    const some = await runAdvice(stderr, 'Delivered, the first 5 of 6')
    expect(some.items).toHaveLength(5)
    const quoted = ids.replaceAll("'", String.raw`'\''`)
    expect(stderr).toContain(`--ids '${quoted}' --jq`)
    const [, filter] = /--jq '(.+)' \| xargs hctl deliveries redeliver$/m.exec(stderr)!
    const { stdout } = await reconcile(webhook, '--jq', filter!)
    expect(stdout).toBe(`${lost.at(-1)!.delivery}\n`)
  })

  test('that failed, or that an endpoint never got: to recover them', async () => {
    const webhook = await makeWebhook('backup.restored')
    await send(webhook, 'backup.restored', [lastFailure], backup)
    const failed = await reconcile(webhook)
    expect((await runAdvice(failed.stderr, 'Failed')).recovery).toMatchObject({ total: 1 })
    const newer = await makeWebhook('backup.restored')
    const { stderr } = await reconcile(newer)
    expect((await runAdvice(stderr, 'Not sent')).recovery).toMatchObject({ total: 1 })
    const mixed = await makeWebhook('backup.restored')
    await send(mixed, 'backup.restored', [lastFailure], backup)
    const both = await reconcile(mixed)
    const recovered = await runAdvice(both.stderr, 'Failed or not sent')
    expect(recovered.recovery).toMatchObject({ total: 2 })
  })

  test('that wait: to enable the endpoint', async () => {
    const webhook = await makeWebhook('site.tls_updated')
    await hctl(`webhooks update ${webhook} --no-enabled`)
    await send(webhook, 'site.tls_updated', [])
    const { stderr } = await reconcile(webhook)
    expect(stderr).not.toContain('hctl deliveries')
    const { webhook: enabled } = await runAdvice(stderr, 'Paused')
    expect(enabled).toMatchObject({ id: webhook, enabled: true })
    expect((await reconcile(webhook)).stderr).toContain('Queued: they are sent by themselves.')
  })
})
