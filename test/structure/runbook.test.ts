import { sessionConfigOf } from '@hosting/postgres/database'
import { settings } from '@hosting/core/configuration'
import { describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { anchorOfCheck } from '../../packages/html/src/operators/findings.ts'
import { root } from '../../tools/run.ts'
import { readIgnoreRules } from '../image/support/make-stages.ts'
import { testEnvironment } from '../support/environment.ts'
import { blocksOf, readRunbook } from '../support/runbook.ts'
import { anchorsOf } from './markdown.ts'
import { readSources } from './sources.ts'

const runbook = readRunbook()

const anchors = anchorsOf(runbook)

/** Alerts, the operators' page and the dashboard link to these. */
const linkedTo = [
  'setup',
  'health',
  'deliveries-back-up',
  'a-slow-endpoint',
  'names-do-not-resolve',
  'a-consumer-is-stuck',
  'redis-is-down',
  'postgresql-is-down',
  'connections-per-pool',
  'pending-revocations',
  'partitions-are-missing',
  'recoveries',
  'issuers-cannot-be-read',
  'errors-of-the-api',
  'retention-lags',
  'a-transaction-stays-open',
  'keyring-rotation',
  'backup-and-restore',
  'upgrades',
  'many-machines',
  'capacity',
  'cost',
]

/** The values of psql's variables. */
const examples: Readonly<Record<string, string>> = {
  endpoint: '01980000-0000-7000-8000-000000000000',
  endpoints: '{01980000-0000-7000-8000-000000000000}',
  moment: '2026-11-20T12:00:00Z',
  keys: '{aaaaaaaaaaaa,bbbbbbbbbbbb}',
}

async function runAndRollBack(sql: string): Promise<void> {
  const client = new pg.Client(sessionConfigOf(testEnvironment()['DATABASE_URL']!))
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(sql)
  } finally {
    await client.end()
  }
}

describe('the runbook', () => {
  test("has the sections of a worker's checks that the operators' page links to", () => {
    const [, table] = runbook.split('The checks of `/readyz`:')
    const rows = [...table!.matchAll(/^\| (`.*?) +\|.*\(#([\w-]+)\) +\|$/gm)]
    const links = rows
      .filter(([, checks]) => !checks!.includes('of the API') && !checks!.includes('…'))
      .flatMap(([, checks, anchor]) =>
        [...checks!.matchAll(/`(\w+)`/g)].map(([, name]) => [name!, anchor!] as const),
      )
    expect(links.length).toBeGreaterThan(6)
    expect(links.map(([name]) => [name, anchorOfCheck(name)])).toEqual(links)
  })

  test('has every linked section', () => {
    expect(linkedTo.filter((anchor) => !anchors.has(anchor))).toEqual([])
  })

  test.each(blocksOf(runbook, 'sql').map((sql) => [sql.split('\n')[0], sql]))(
    'its statement runs: %s',
    async (_beginning, sql) => {
      const filled = sql!.replaceAll(/:'(\w+)'/g, (_all, name: string) => `'${examples[name]!}'`)
      await runAndRollBack(filled)
    },
  )

  test('every file that its commands write into the checkout is in neither Git nor the images', () => {
    const inline = [...runbook.matchAll(/`[^`\n]+`/g)].map(([text]) => text)
    const code = [...blocksOf(runbook, 'sh'), ...inline]
    const written = code.flatMap((text) =>
      [...text.matchAll(/ >>? ([a-z][\w./-]*)/g)].map(([, name]) => name!),
    )
    const names = [...new Set(written), 'brand/logo.svg']
    expect(names).toEqual(
      expect.arrayContaining(['anchors', 'before-upgrade.dump', 'hosting_control.dump']),
    )
    const isIgnored = readIgnoreRules(readFileSync(`${root}.dockerignore`, 'utf8'))
    expect(names.filter((name) => !isIgnored(name))).toEqual([])
    const { stdout } = spawnSync('git', ['check-ignore', '--no-index', ...names], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(stdout.trim().split('\n').toSorted()).toEqual(names.toSorted())
  })

  test('its commands for Kubernetes read the logs of every pod', () => {
    expect(runbook).toContain('kubectl logs --selector app.kubernetes.io/component=worker')
    expect(runbook).not.toContain('kubectl logs deployment/')
  })

  test('every setting that it names exists', () => {
    const known = new Set(Object.values(settings).map(({ variable }) => variable))
    // Of psql.
    const others = new Set(['PGOPTIONS'])
    const words = [...runbook.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b[^`]*`/g)].map(([, w]) => w!)
    expect(words.length).toBeGreaterThan(20)
    expect(words.filter((word) => !known.has(word) && !others.has(word))).toEqual([])
  })

  test('every metric and every log message that it names exists', async () => {
    const sources = await readSources('{apps,packages}/*/src/**/*.ts')
    const text = sources.map((source) => source.text).join('\n')
    const metrics = [...runbook.matchAll(/`(hosting_[a-z_]+?)(?:_count)?[`{]/g)].map(([, m]) => m!)
    expect(metrics.length).toBeGreaterThan(8)
    expect(metrics.filter((metric) => !text.includes(`'${metric}'`))).toEqual([])
    const lines = [
      'the database is unavailable',
      'a key change has not reached the gate yet',
      'not every process has confirmed a key change',
      'a request failed because of a defect',
      'expired records are left for the next round',
      'expired records removed',
      'deliveries wait: a secret cannot be decrypted',
      "the clock of this machine differs from the database's",
    ]
    for (const line of lines) {
      expect(runbook).toContain(`\`${line}\``)
      expect(text).toContain(line)
    }
  })
})
