import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { readCompose, type ComposeService } from '../support/compose.ts'
import { readRunbook } from '../support/runbook.ts'
import { settingsReadBy } from '../support/chart.ts'

const { services, networks, volumes } = readCompose()
const all = Object.entries(services)
const ours = all.filter(([, { build }]) => build !== undefined)
const goingOn = all.filter(([, { restart }]) => restart !== 'no')
/** Variables of the OpenTelemetry SDK, which it reads itself. */
const ofTheSdk = new Set([
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
])
const names = (of: readonly (readonly [string, ComposeService])[]) => of.map(([name]) => name)
const without = (
  of: readonly (readonly [string, ComposeService])[],
  has: (service: ComposeService) => boolean | undefined,
) => names(of.filter(([, service]) => !has(service)))

describe('docker-compose.yml', () => {
  test('defines every process of the system', () => {
    expect(names(all).toSorted()).toEqual(
      ['api', 'migrate', 'operations', 'postgres', 'redis', 'worker'].toSorted(),
    )
  })

  test('no container can write its image, gain privileges, or has unneeded ones', () => {
    const isHardened = ({ read_only, init, cap_drop, security_opt }: ComposeService) =>
      read_only &&
      init &&
      cap_drop?.includes('ALL') &&
      security_opt?.includes('no-new-privileges:true')
    expect(without(all, isHardened)).toEqual([])
    expect(without([['lax', { ...services['api']!, read_only: false }]], isHardened)).toEqual([
      'lax',
    ])
  })

  test('no container runs as root: ours by their image, the others by their service entry', () => {
    const dockerfile = readFileSync(`${root}Dockerfile`, 'utf8')
    const bare = dockerfile.split('FROM base AS bare')[1]!
    expect(bare).toMatch(/^USER 1000:1000$/m)
    expect(bare).not.toMatch(/^USER (?!1000:1000$)/m)
    for (const [, { build }] of ours) {
      expect(bare).toContain(`FROM bare AS ${build!.target}\n`)
    }
    expect(without(all, ({ build, user }) => build !== undefined || user !== undefined)).toEqual([])
  })

  test('every long-running service has a health check and restarts', () => {
    expect(names(goingOn)).toEqual(['api', 'worker', 'postgres', 'redis'])
    expect(without(goingOn, ({ healthcheck }) => healthcheck !== undefined)).toEqual([])
  })

  test('third-party images are pinned to an exact release', () => {
    const images = all.flatMap(([, { image }]) => image ?? [])
    expect(images).toEqual([
      expect.stringMatching(/^postgres:\d+\.\d+-bookworm$/),
      expect.stringMatching(/^redis:\d+\.\d+\.\d+-bookworm$/),
    ])
  })

  test.each(['api', 'worker'] as const)(
    '%s gets exactly the settings that it reads, and no secrets or hosts of others',
    (process) => {
      const read = settingsReadBy(process).map(({ variable }) => variable)
      const given = Object.keys(services[process]!.environment!)
      expect(given.filter((name) => !ofTheSdk.has(name)).toSorted()).toEqual(read.toSorted())
    },
  )

  test.each(['api', 'worker'] as const)('every setting of %s can be changed in .env', (process) => {
    const fixed = ['DATABASE_URL', 'HOST', 'PORT', 'INTERNAL_PORT']
    const values = Object.entries(services[process]!.environment!)
    const others = values.filter(([name, value]) => !String(value).startsWith(`\${${name}:`))
    expect(others.map(([name]) => name).toSorted()).toEqual(fixed.toSorted())
  })

  test('the hosts that the processes connect to can be reached, and the logo can be read', () => {
    for (const process of ['api', 'worker'] as const) {
      expect(settingsReadBy(process).some(({ namesHost }) => namesHost)).toBe(true)
      expect(services[process]!.networks).toEqual(['data', 'outside'])
    }
    expect(services['api']!.volumes).toEqual(['${BRAND_FOLDER:-./brand}:/brand:ro'])
  })

  test('the operator tools get only the settings that they need', () => {
    const keys = (name: string) => Object.keys(services[name]!.environment!).toSorted()
    expect(keys('migrate')).toEqual(['DATABASE_APP_PASSWORD', 'DATABASE_APP_ROLE', 'DATABASE_URL'])
    expect(keys('operations')).toEqual([
      'AUDIT_KEY',
      'DATABASE_URL',
      'SECRETS_KEYRING',
      'SERVER_SECRET',
    ])
  })

  test('every secret is required and has no default', () => {
    const text = readFileSync(`${root}docker-compose.yml`, 'utf8')
    for (const name of [
      'POSTGRES_PASSWORD',
      'POSTGRES_APP_PASSWORD',
      'SECRETS_KEYRING',
      'SERVER_SECRET',
      'INTERNAL_TOKENS',
    ]) {
      expect(text).toContain(`\${${name}:?`)
      expect(text).not.toContain(`\${${name}:-`)
    }
  })

  test('only the migration connects as the owner of the tables', () => {
    const asOwner = all.filter(([, { environment }]) =>
      String(environment?.['DATABASE_URL']).includes('postgres:${POSTGRES_PASSWORD'),
    )
    expect(names(asOwner)).toEqual(['migrate'])
    expect(services['migrate']!.environment).toMatchObject({ DATABASE_APP_ROLE: 'hosting_app' })
  })

  test('Redis evicts nothing and keeps its jobs across restarts', () => {
    expect(services['redis']!.command!.join(' ')).toBe(
      'redis-server --appendonly yes --save  --maxmemory-policy noeviction',
    )
  })

  test('data is on volumes, in a network without internet access', () => {
    expect(Object.keys(volumes)).toEqual(['postgres', 'redis'])
    expect(networks['data']).toEqual({ internal: true })
    expect(services['postgres']!.networks).toEqual(['data'])
    expect(services['redis']!.networks).toEqual(['data'])
    expect(services['postgres']!.ports ?? services['redis']!.ports).toBeUndefined()
  })

  test('published ports are bound to loopback by default', () => {
    const ports = all.flatMap(([, service]) => service.ports ?? [])
    expect(ports).toHaveLength(3)
    for (const port of ports) {
      expect(typeof port === 'string' ? port : port.host_ip).toMatch(/^(\$\{\w+:-)?127\.0\.0\.1/)
    }
  })

  test('workers can be scaled: the service has no container name and no fixed port', () => {
    const { ports, container_name } = services['worker']!
    expect(container_name).toBeUndefined()
    expect(ports).toEqual([expect.objectContaining({ published: expect.stringMatching(/\d-\d/) })])
  })

  test('PostgreSQL has connections for as many workers as there are ports', () => {
    const { published } = services['worker']!.ports![0] as { published: string }
    const [, first, last] = /(\d+)-(\d+)/.exec(published)!
    const processes = Number(last) - Number(first) + 1 + 1
    const each = Number(/`processes × (\d+)`/.exec(readRunbook())![1])
    const connections = /max_connections=(\d+)/.exec(services['postgres']!.command!.join(' '))![1]
    // PostgreSQL reserves three for superusers.
    expect(Number(connections) - 3).toBeGreaterThanOrEqual(processes * each)
  })

  test('the stop timeout of a process exceeds its drain time', () => {
    const source = readFileSync(`${root}packages/process/src/run-process.ts`, 'utf8')
    const drainSeconds = Number(/drainMsMax = (\d+)_000/.exec(source)![1])
    for (const name of ['api', 'worker']) {
      expect(Number.parseInt(services[name]!.stop_grace_period!)).toBeGreaterThan(drainSeconds)
    }
  })

  test('nothing starts before the database is migrated', () => {
    for (const name of ['api', 'worker']) {
      expect(services[name]!.depends_on!['migrate']!.condition).toBe(
        'service_completed_successfully',
      )
    }
  })
})
