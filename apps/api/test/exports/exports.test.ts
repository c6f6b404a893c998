import { claimExportSlot, freeExportSlot } from '@hosting/postgres/lists'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { lastFailure, makeAttempts } from '../support/attempts.ts'
import { makeSubscriber, type Subscriber } from '../support/delivery-list.ts'
import { buildEvent, leastData, publish } from '../support/events.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()
const paths = ['/webhook-deliveries', '/audit-log', '/events'] as const
const slotLivesMs = 60_000

/** The fields of the lines of a CSV file (RFC 4180). */
function parseCsv(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true)
  const fields = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g
  const lines: string[][] = [[]]
  for (const [, field, end] of text.matchAll(fields)) {
    lines.at(-1)!.push(field!.replace(/^"([^]*)"$/, '$1').replaceAll('""', '"'))
    if (end === '\r\n') lines.push([])
  }
  return lines.slice(0, -1)
}

const parseJsonl = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** An export as a client reads it. */
async function exportAs(token: string, path: string, query: string) {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${api.url}/api/v1${path}?${query}`, { headers })
  expect(response.status).toBe(200)
  return { headers: response.headers, text: await response.text() }
}

describe('exports', () => {
  const exported = (path: string, query: string) => exportAs(subscriber.token, path, query)
  let subscriber: Subscriber
  const call = (path: string, query: string) =>
    api.call('get', `${path}?${query}`, { token: subscriber.token })

  beforeAll(async () => {
    subscriber = await makeSubscriber(api)
    const { tenant, webhookId, token } = subscriber
    for (let made = 0; made < 5; made++) await publish(api, tenant.id)
    for (const description of ['=1+1', '+1', '-1', '@x', '\tx', 'a "b", c']) {
      await api.call('patch', `/webhooks/${webhookId}`, { token, body: { description } })
    }
  })

  test.each(paths)('%s as jsonl has every record of the list, as it is there', async (path) => {
    const { headers, text } = await exported(path, 'format=jsonl')
    expect(headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.jsonl"$/)
    expect(headers.get('x-next-cursor')).toBeNull()
    const { body } = await call(path, '')
    expect(body.items.length).toBeGreaterThanOrEqual(5)
    expect(parseJsonl(text)).toEqual(body.items)
  })

  test.each(paths)(
    '%s as csv begins with the names and has a line for each record',
    async (path) => {
      const { headers, text } = await exported(path, 'format=csv')
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
      const [names, ...lines] = parseCsv(text)
      const { items } = (await call(path, '')).body as { items: { id: string }[] }
      expect(names![0]).toBe('id')
      expect(lines.map(([id]) => id)).toEqual(items.map(({ id }) => id))
      for (const line of lines) expect(line).toHaveLength(names!.length)
    },
  )

  test('csv has a column for each member of a record, JSON for other structures, and nothing for null', async () => {
    const { items } = (await call('/events', 'limit=1')).body
    const [names, line] = parseCsv((await exported('/events', 'format=csv')).text)
    expect(names).toEqual(['id', 'type', 'created_at', 'tenant_id', 'data'])
    const { id, type, created_at, tenant_id, data } = items[0]
    expect(line).toEqual([id, type, created_at, tenant_id, JSON.stringify(data)])
    const [columns, delivery] = parseCsv((await exported('/webhook-deliveries', 'format=csv')).text)
    const valueOf = (name: string) => delivery![columns!.indexOf(name)]
    expect(valueOf('event.type')).toBe('site.created')
    expect(valueOf('webhook.deleted')).toBe('false')
    expect(valueOf('last_attempt.number')).toBe('')
  })

  test.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx', 'a "b", c'])(
    'csv makes the value %j harmless for spreadsheets, and jsonl leaves it',
    async (objectId) => {
      const { tenant, token } = await api.makeAdmin()
      const data = { ...leastData['site.created'], object_id: objectId }
      await makeWebhook(api, token)
      await api.callInternal('post', '/events', { ...buildEvent(tenant.id), data })
      const read = async (format: string) =>
        (await exportAs(token, '/webhook-deliveries', `format=${format}`)).text
      const [names, line] = parseCsv(await read('csv'))
      const isFormula = /^[=+\-@\t\r]/.test(objectId)
      expect(line![names!.indexOf('event.object_id')]).toBe((isFormula ? "'" : '') + objectId)
      const [record] = parseJsonl(await read('jsonl'))
      expect(record!['event']).toMatchObject({ object_id: objectId })
    },
  )

  test.each(paths)('%s continues after X-Next-Cursor, and nothing comes twice', async (path) => {
    const whole = parseJsonl((await exported(path, 'format=jsonl')).text)
    const first = await exported(path, 'format=jsonl&limit=2')
    const cursor = first.headers.get('x-next-cursor')!
    expect(parseJsonl(first.text)).toEqual(whole.slice(0, 2))
    const rest = await exported(path, `format=jsonl&cursor=${cursor}`)
    expect(parseJsonl(rest.text)).toEqual(whole.slice(2))
    expect(rest.headers.get('x-next-cursor')).toBeNull()
    const { body } = await call(path, `cursor=${cursor}`)
    expect(body.items).toEqual(whole.slice(2))
    const exact = await exported(path, `format=jsonl&limit=${whole.length}`)
    expect(exact.headers.get('x-next-cursor')).toBeNull()
  })

  test('the filters of the list apply', async () => {
    const { deliveryIds } = await publish(api, subscriber.tenant.id, { type: 'job.failed' })
    await makeAttempts(api, deliveryIds[0]!, [lastFailure])
    const deliveries = await exported('/webhook-deliveries', 'format=jsonl&status=dead')
    expect(parseJsonl(deliveries.text).map(({ id }) => id)).toEqual(deliveryIds)
    const audit = await exported('/audit-log', 'format=jsonl&action=webhook.create')
    expect(parseJsonl(audit.text)).toMatchObject([{ action: 'webhook.create' }])
    const since = new Date(Date.now() - 60_000).toISOString()
    const events = await exported('/events', `format=jsonl&types=job.*&since=${since}`)
    expect(parseJsonl(events.text)).toMatchObject([{ type: 'job.failed' }])
    const none = await exported('/events', 'format=csv&account_id=nobody')
    expect(none.text).toBe('id,type,created_at,tenant_id,data\r\n')
  })

  test('has every record of several pages once, in order', async () => {
    const { tenant, token } = await makeSubscriber(api)
    const events = Array.from({ length: 1_000 }, () => buildEvent(tenant.id))
    for (let batch = 0; batch < 2; batch++) await api.callInternal('post', '/events', { events })
    await publish(api, tenant.id)
    for (const path of ['/events', '/webhook-deliveries']) {
      const { text } = await exportAs(token, path, 'format=jsonl')
      const ids = parseJsonl(text).map(({ id }) => id as string)
      expect(new Set(ids).size).toBe(2_001)
      expect(ids).toHaveLength(2_001)
    }
  })

  test('409 conflict while another export of the caller runs, in any process; others export', async () => {
    const { token, id } = await subscriber.tenant.makeKey()
    const send = () => exportAs(token, '/audit-log', 'format=csv&limit=1')
    const slot = (await claimExportSlot(api.database, `key:${id}`, slotLivesMs))!
    const refused = await api.call('get', '/audit-log?format=csv', { token })
    expect(refusalOf(refused)).toEqual({ status: 409, code: 'conflict' })
    await exported('/audit-log', 'format=csv')
    expect((await api.call('get', '/audit-log', { token })).status).toBe(200)
    await freeExportSlot(api.database, slot)
    await send()
    await send()
    expect(await claimExportSlot(api.database, `key:${id}`, 0)).toBeDefined()
    await send()
  })

  test('of exports that start at the same time, one runs', async () => {
    const claims = Array.from({ length: 8 }, () =>
      claimExportSlot(api.database, `key:${subscriber.webhookId}`, slotLivesMs),
    )
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1)
  })

  test.each([
    ['/events', 'format=xml', '/format'],
    ['/audit-log', 'format=csv&limit=0', '/limit'],
    ['/webhook-deliveries', 'format=jsonl&cursor=x', '/cursor'],
    ['/webhook-deliveries', 'format=csv&status=lost', '/status'],
  ])('422 validation_failed for %s?%s, and the next export runs', async (path, query, pointer) => {
    expect(refusalOf(await call(path, query))).toEqual(invalid(pointer))
    await exported(path, 'format=csv')
  })

  test('HEAD has the headers of an export, which then has ended', async () => {
    const headers = { authorization: `Bearer ${subscriber.token}` }
    const url = `${api.url}/api/v1/events?format=csv`
    for (let requests = 0; requests < 2; requests++) {
      const response = await fetch(url, { method: 'HEAD', headers })
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/csv; charset=utf-8',
      ])
    }
  })

  test('an export whose client goes away has ended', async () => {
    const { tenant, token } = await makeSubscriber(api)
    const events = Array.from({ length: 1_000 }, () => buildEvent(tenant.id))
    for (let batch = 0; batch < 3; batch++) await api.callInternal('post', '/events', { events })
    const gone = new AbortController()
    const headers = { authorization: `Bearer ${token}` }
    const url = `${api.url}/api/v1/events?format=jsonl`
    const response = await fetch(url, { headers, signal: gone.signal })
    await response.body!.getReader().read()
    gone.abort()
    await until('the export has ended', async () => {
      const { status } = await fetch(`${url}&limit=1`, { headers })
      return status === 200
    })
  })
})
