import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type pg from 'pg'
import { buildDue } from '../../../../test/support/attempts.ts'
import { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import { agedRecords } from '../../../../packages/postgres/test/support/aged-records.ts'
import { testEnvironment } from '../../../../test/support/environment.ts'
import { startTcpProxy, type TcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { emptyRedis } from '../../../../test/support/own-stack.ts'
import { until } from '../../../../test/support/stack.ts'
import { runbookAnchors, runbookHtml } from '@hosting/html/operators'
import { furnish, urlSecret, type Furnished } from './furnished.ts'
import { openOperators, serveOperators, type Operators } from './operators.ts'
import { rowsOf, sectionOf, textOf } from './page.ts'

const database = useDatabase()
const redisUrl = testEnvironment()['REDIS_URL']!
let furnished: Furnished
let proxies: Record<'postgres' | 'redis', TcpProxy>
let operators: Operators

beforeAll(async () => {
  await emptyRedis(redisUrl)
  furnished = await furnish(database)
  proxies = {
    postgres: await startTcpProxy(() => database.url),
    redis: await startTcpProxy(() => redisUrl),
  }
  operators = await openOperators(
    { DATABASE_URL: proxies.postgres.url, REDIS_URL: proxies.redis.url },
    { database: 'ok', slow_consumer: 'unavailable' },
  )
  await until(
    () => Promise.resolve(operators.services.attempts.isReady()),
    (isReady) => isReady,
  )
  const job = { deliveryId: 'a', endpointId: furnished.busy }
  await operators.services.attempts.add([
    buildDue(job),
    buildDue({ ...job, number: 2 }),
    buildDue({ ...job, number: 3, delayMs: 600_000 }),
    buildDue({ ...job, lane: 'slow' }),
  ])
})
afterAll(async () => {
  await operators.close()
  await proxies.postgres.close().catch(() => undefined)
  await proxies.redis.close().catch(() => undefined)
})

async function show(path = '/operations'): Promise<string> {
  const response = await operators.get(path)
  expect(response.status).toBe(200)
  return await response.text()
}

const today = (days = 0): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

type Pool = Operators['services']['database']['pool']

/** A pool that counts the connections that are taken through it, and not those that the process takes for other work. */
function countConnections(pool: Pool): { pool: Pool; mostInUse: () => number } {
  let [inUse, most] = [0, 0]
  const connect = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect()
    most = Math.max(most, ++inUse)
    const { release } = client
    client.release = (error) => {
      inUse--
      release.call(client, error)
    }
    return client
  }
  const runQuery = async (query: pg.QueryConfig): Promise<pg.QueryResult> => {
    const client = await connect()
    try {
      return await client.query(query)
    } finally {
      client.release()
    }
  }
  const counted: Readonly<Partial<Record<PropertyKey, unknown>>> = { connect, query: runQuery }
  const get = (_: Pool, name: PropertyKey): unknown => {
    const member: unknown = counted[name] ?? Reflect.get(pool, name, pool)
    return typeof member === 'function' ? member.bind(pool) : member
  }
  return { pool: new Proxy(pool, { get }), mostInUse: () => most }
}

describe('/operations', () => {
  test('counts due deliveries by endpoint, without retries that are not due yet', async () => {
    const html = await show()
    expect(rowsOf(html, 'Due deliveries by endpoint')).toEqual([
      [
        `busy.example.com/hook ${furnished.busy}`,
        'Acme',
        '36',
        expect.stringMatching(/^\d+ s$/),
        'Normal Throttled, 5/s',
      ],
      [`Slow receiver ${furnished.slow}`, 'Acme', '7', expect.stringMatching(/^\d+ s$/), 'Slow'],
      [
        `late.example.org/hook ${furnished.late}`,
        'Umbrella <b>& Co.</b>',
        '3',
        expect.stringMatching(/^10 min \d+ s$/),
        'Normal',
      ],
    ])
    expect(sectionOf(html, 'Backlog by endpoint')).toContain('46 due in total.')
  })

  test('counts due deliveries by organization', async () => {
    expect(rowsOf(await show(), 'Due deliveries by organization')).toEqual([
      [`Acme ${furnished.acme}`, '2', '43', expect.stringMatching(/^\d+ s$/)],
      [`Umbrella <b>& Co.</b> ${furnished.umbrella}`, '1', '3', expect.stringMatching(/^10 min/)],
    ])
  })

  test('counts the deliveries of disabled endpoints separately', async () => {
    expect(rowsOf(await show(), 'Due deliveries of disabled endpoints')).toEqual([
      [
        `disabled.example.com/hook ${furnished.disabled}`,
        'Acme',
        '2',
        expect.stringMatching(/^\d+ s$/),
        'Disabled',
      ],
    ])
  })

  test('shows the endpoints in the slow lane, and when they leave it', async () => {
    expect(rowsOf(await show(), 'Endpoints in the slow lane')).toEqual([
      [
        `Slow receiver ${furnished.slow}`,
        'Acme',
        expect.stringMatching(/ UTC$/),
        expect.stringMatching(/^59 min/),
      ],
    ])
  })

  test('shows failing endpoints, and when they will be disabled', async () => {
    expect(rowsOf(await show(), 'Failing endpoints')).toEqual([
      [
        `late.example.org/hook ${furnished.late}`,
        'Umbrella <b>& Co.</b>',
        expect.stringMatching(/^2 h/),
        '6',
        'Timeout',
        expect.stringMatching(/ UTC$/),
      ],
    ])
  })

  test('shows the jobs in Redis by queue, and their attempts by lane', async () => {
    const html = await show()
    expect(rowsOf(html, 'Jobs by queue').map(([, ...counts]) => counts)).toEqual([
      // Two attempts share a job.
      ['1', '1'],
      ['1', '0'],
    ])
    expect(sectionOf(html, 'Queues in Redis')).toContain('2 in the normal lane, 1 in the slow lane')
  })

  test('shows recoveries with their progress, running ones first', async () => {
    const html = await show()
    expect(rowsOf(html, 'Recoveries').map((row) => row.slice(1, 4))).toEqual([
      ['Umbrella <b>& Co.</b>', 'In progress', '1,234 of 4,000'],
      ['Acme', 'Done', '7 of 7'],
    ])
    expect(html).toContain('<progress value="1234" max="4000"')
  })

  test('counts waiting revocations and unsealed audit entries, and shows the age of the oldest', async () => {
    const html = await show()
    expect(sectionOf(html, 'Revocations to deliver')).toMatch(/Waiting 2 Oldest 3 min \d+ s ago/)
    expect(sectionOf(html, 'Audit entries to seal')).toMatch(/Waiting 1 Oldest 2 min/)
  })

  test('shows the first and last day of each table, and names a missing day', async () => {
    const complete = [today(-1), '–', today(7)].join(' ')
    for (const [, days, span, ahead, , state] of rowsOf(await show(), 'Day partitions by table')) {
      expect([days, span, ahead, state]).toEqual(['9', complete, '7', 'Complete'])
    }
    const partition = `events_${today(3).replaceAll('-', '')}`
    await database.pool.query(`DROP TABLE ${partition}`)
    const html = await show()
    expect(rowsOf(html, 'Day partitions by table')[0]!.toSpliced(4, 1)).toEqual([
      'events',
      '8',
      complete,
      '2',
      `Missing: ${today(3)}`,
    ])
    expect(textOf(html)).toContain(`events has no partition for ${today(3)}`)
    expect(rowsOf(html, 'Sizes by day').map(([day]) => day)).toEqual(
      Array.from({ length: 9 }, (_, index) => today(7 - index)),
    )
  })

  test('lists what needs attention, the most severe first', async () => {
    const text = textOf(await show())
    const findings = [
      'slow consumer is unavailable',
      'A key change has waited 3 min',
      'The oldest due delivery has been due for 10 min',
      'An audit entry has waited 2 min',
    ].map((finding) => text.indexOf(finding))
    expect(findings).not.toContain(-1)
    expect(findings).toEqual(findings.toSorted((a, b) => a - b))
  })

  test('reports a stalled recovery, and unrecorded attempts that are kept too long', async () => {
    await database.pool.query(`UPDATE webhook_recoveries SET stepped_at = now() - interval '2 min'`)
    await agedRecords(database).makeDay(40)
    const text = textOf(await show())
    expect(text).toContain(
      'The recovery of late.example.org/hook has made no progress for over a minute.',
    )
    expect(text).not.toContain('The recovery of busy.example.com')
    expect(text).toContain(`Attempts from ${today(-40)} still exist`)
  })

  test('shows the name and the id of an endpoint, without the query of its URL', async () => {
    const html = await show()
    expect(html).toContain('busy.example.com/hook')
    expect(html).toContain('Slow receiver')
    expect(html).not.toContain('slow.example.com')
    expect(html).not.toContain(urlSecret)
  })

  test('refreshes itself unless refresh=off', async () => {
    expect(await show()).toContain('<meta http-equiv="refresh" content="10"/>')
    expect(await show('/operations?refresh=off')).not.toContain('http-equiv')
  })

  test('links only to existing sections of the runbook', async () => {
    const [html, runbook] = [await show(), await show('/operations/runbook')]
    const anchors = [...html.matchAll(/href="\/operations\/runbook#([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(anchors).size).toBeGreaterThan(5)
    const ids = [...runbook.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual(expect.arrayContaining([...anchors, ...runbookAnchors]))
    expect(runbook).toContain(runbookHtml)
  })

  test('has headers against framing, caching and referrers', async () => {
    const { headers } = await operators.get('/operations')
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; font-src 'self'; style-src 'self'; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    expect(headers.has('x-powered-by')).toBe(false)
  })

  test('reads the database once for concurrent requests', async () => {
    const { services } = operators
    const { pool, mostInUse } = countConnections(services.database.pool)
    const pages = await serveOperators({ ...services, database: { ...services.database, pool } })
    await Promise.all(Array.from({ length: 8 }, () => pages.get('/operations')))
    await pages.close()
    expect(mostInUse()).toBe(1)
  })

  // The following tests close servers that the tests above need.
  test('without Redis, shows the parts from PostgreSQL, and marks the others', async () => {
    await proxies.redis.close()
    const html = await until(show, (page) => page.includes('Redis could not be read'))
    expect(sectionOf(html, 'Queues in Redis')).toContain('Redis could not be read')
    expect(html).toContain('/operations/runbook#redis-is-down')
    expect(rowsOf(html, 'Due deliveries by endpoint')).toHaveLength(3)
  })

  test('without PostgreSQL, marks each of its parts, and still renders the page', async () => {
    await proxies.postgres.close()
    const html = await show()
    expect(html.match(/PostgreSQL could not be read/g)!.length).toBeGreaterThan(5)
    expect(html).toContain('/operations/runbook#postgresql-is-down')
    expect(sectionOf(html, 'This worker')).toContain('slow consumer unavailable')
    expect(textOf(html)).not.toContain(new URL(proxies.postgres.url).port)
  })
})
