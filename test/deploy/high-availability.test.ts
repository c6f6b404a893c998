import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { root } from '../../tools/run.ts'
import * as chart from '../support/chart.ts'
import { needing } from '../support/needing.ts'
import { readCompose, type Compose } from '../support/compose.ts'

const read = (name: string): string => readFileSync(`${root}deploy/ha/${name}`, 'utf8')
const { services, volumes } = parse(read('docker-compose.yml'), { merge: true }) as Compose
const base = readCompose()
const own = Object.entries(services).filter(([name]) => !(name in base.services))

describe('deploy/ha/docker-compose.yml', () => {
  test('adds a standby and a proxy, hardened like the other containers', () => {
    expect(own.map(([name]) => name).toSorted()).toEqual(['database', 'postgres2'])
    for (const [, service] of own) {
      const { init, read_only, cap_drop, security_opt } = base.services['postgres']!
      expect(service).toMatchObject({ init, read_only, cap_drop, security_opt })
      expect(service.user).toMatch(/^(postgres|haproxy)$/)
      expect(service.image).toMatch(/^\w+:\d+\.\d+(\.\d+)?-\w+$/)
      expect(service.healthcheck).toBeDefined()
      expect(service.networks).toEqual(['data'])
      expect(service.ports).toBeUndefined()
    }
  })

  test('leads every process to the proxy, with the user that it has without it', () => {
    for (const name of ['api', 'worker', 'migrate', 'operations']) {
      const without = String(base.services[name]!.environment!['DATABASE_URL'])
      const url = services[name]!.environment!['DATABASE_URL']
      expect(url).toBe(without.replace('@postgres:', '@database:'))
    }
  })

  test('both servers have the same release, the same files, and data of their own', () => {
    const [first, second] = [services['postgres']!, services['postgres2']!]
    expect(second.image).toBe(base.services['postgres']!.image)
    const filesOf = (all: readonly string[]) => all.filter((each) => each.includes(':/ha/'))
    expect(filesOf(first.volumes!)).toEqual(filesOf(second.volumes!))
    expect(second.volumes).toContain('postgres2:/var/lib/postgresql')
    expect(Object.keys(volumes)).toEqual(['postgres2'])
    const { NODE: one, ...shared } = first.environment!
    const { NODE: other, ...sharedByOther } = second.environment!
    expect([one, other]).toEqual(['postgres', 'postgres2'])
    expect(shared).toEqual(sharedByOther)
    // A server with an empty folder must not become a second primary.
    expect(second.environment!['POSTGRES_PASSWORD']).toBeUndefined()
  })

  test('PostgreSQL has as many connections as without a standby', () => {
    const [, connections] = /^max_connections = (\d+)$/m.exec(read('postgresql.conf'))!
    expect(base.services['postgres']!.command!.join(' ')).toContain(
      `max_connections=${connections}`,
    )
  })
})

test("HAProxy's check asks as the role that may only ask, and accepts only a primary", () => {
  const config = read('haproxy.cfg')
  const bytes = [...config.matchAll(/^ *tcp-check (?:send-|expect )binary (\w+)$/gm)].map(
    ([, hex]) => Buffer.from(hex!, 'hex').toString('latin1'),
  )
  expect(bytes).toHaveLength(5)
  const [startup, ready, query, row, terminate] = bytes as [string, string, string, string, string]
  expect(startup.slice(8)).toBe('user\0hosting_check\0database\0postgres\0\0')
  expect(ready).toBe('Z\0\0\0\x05I')
  expect(query.slice(5)).toBe('SELECT pg_is_in_recovery()\0')
  expect(row.at(-1)).toBe('f')
  expect(terminate[0]).toBe('X')
  const lengthOf = (message: string): number => Buffer.from(message, 'latin1').readInt32BE(1)
  for (const message of [query, row, terminate]) expect(lengthOf(message)).toBe(message.length - 1)
  expect(Buffer.from(startup, 'latin1').readInt32BE(0)).toBe(startup.length)
  expect(read('pg_hba.conf')).toMatch(/^host +postgres +hosting_check +samenet +trust$/m)
})

const { test: testChart } = needing('Helm', chart.helm !== undefined)

testChart(
  'the chart accepts the values for an operator of PostgreSQL, with the URL of an installation',
  () => {
    const values = parse(read('values.yaml')) as { settings: { shared: Record<string, string> } }
    values.settings.shared['PUBLIC_URL'] = 'https://control.example.com'
    const { manifests, said } = chart.render(values)
    expect(said).toBe('')
    const maps = manifests.filter(({ kind }) => kind === 'ConfigMap')
    expect(JSON.stringify(maps)).toContain('"REQUIRE_DURABILITY":"true"')
  },
)
