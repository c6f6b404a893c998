import { sessionConfigOf } from '@hosting/postgres/database'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import { testEnvironment } from '../../../../test/support/environment.ts'
import { until } from '../../../../test/support/until.ts'
import { furnish } from './furnished.ts'
import { openOperators, type Operators } from './operators.ts'
import { rowsOf, sectionOf, textOf } from './page.ts'

const database = useDatabase()
let operators: Operators

beforeAll(async () => {
  await furnish(database)
  operators = await openOperators({
    DATABASE_URL: database.url,
    REDIS_URL: testEnvironment()['REDIS_URL']!,
  })
})
afterAll(() => operators.close())

const show = async (): Promise<string> => await (await operators.get('/operations')).text()

describe('/operations', () => {
  test('draws the last 24 hours of all processes', async () => {
    const charts = [...(await show()).matchAll(/aria-label="([^"]* over 24 hours: [^"]*)"/g)]
    expect(charts.map(([, label]) => label)).toEqual([
      expect.stringMatching(
        /^Events and attempts over 24 hours: Published up to 18\d, Attempted up to 2[34]\d$/,
      ),
      'Publish to first attempt over 24 hours: p95 up to 5 s',
      'Oldest due over 24 hours: Longest up to 12 s',
    ])
    const rows = rowsOf(await show(), 'Last 24 hours')
    expect(rows.length).toBeGreaterThan(118)
    expect(rows.at(-3)!.slice(1)).toEqual(['180', '240', '5 s', '0 ms'])
  })

  test('shows every process, and when it was not ready or silent', async () => {
    const html = await show()
    expect(rowsOf(html, 'Processes').map((row) => row.slice(0, 2))).toEqual([
      ['API api-1, 7', 'Ready'],
      ['Worker worker-1, 41', 'Ready'],
    ])
    expect(rowsOf(html, 'Ended processes')[0]).toEqual([
      'Worker worker-1, 40',
      expect.stringMatching(/^Ended 10 h/),
      '',
      '0',
      expect.stringMatching(/^14,4/),
    ])
    expect(rowsOf(html, 'Interruptions').map((row) => row.slice(1, 4))).toEqual([
      [expect.stringMatching(/^1 min/), 'Silent', 'Worker worker-1, 41'],
      [expect.stringMatching(/^1 min/), 'Not ready: records', 'Worker worker-1, 41'],
    ])
  })

  test('names what blocks PostgreSQL, without its statement', async () => {
    const open = (name: string) =>
      new pg.Client({ ...sessionConfigOf(database.url), application_name: name })
    const [blocker, waiting] = [open('psql of Ana'), open('hosting worker')]
    await Promise.all([blocker.connect(), waiting.connect()])
    await blocker.query(`BEGIN; LOCK TABLE gate_invalidations; SELECT 'a secret value'`)
    const blocked = waiting.query('LOCK TABLE gate_invalidations IN ACCESS EXCLUSIVE MODE')
    const html = await until(show, (page) => page.includes('blocks 1 other on gate_invalidations'))
    expect(rowsOf(html, 'Blocked sessions of PostgreSQL').map(([, ...row]) => row)).toEqual([
      ['idle in transaction', expect.any(String), '1', expect.any(String), 'gate_invalidations'],
    ])
    expect(textOf(html)).toMatch(
      /PostgreSQL: the session psql of Ana \(pid \d+, idle in transaction, open for \d+ s\)/,
    )
    expect(html).not.toMatch(/LOCK TABLE|a secret value/)
    await blocker.end()
    await blocked.catch(() => undefined)
    await waiting.end()
    expect(sectionOf(await show(), 'Blocked sessions of PostgreSQL')).toContain('None')
  })
})
