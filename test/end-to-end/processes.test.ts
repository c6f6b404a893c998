import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import { grantToAppRole } from '../../tools/app-role.ts'
import { administerServer, makeOwnStack, type OwnStack } from '../support/own-stack.ts'
import { runService, startService } from '../support/processes.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { writeTemporary } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

// A database and a Redis of their own; otherwise a worker would make the attempts that other tests left.
let stack: OwnStack
beforeAll(async () => {
  stack = await makeOwnStack()
})
afterAll(() => stack.remove())

test.each(['api', 'worker'] as const)(
  '%s reports every configuration error at once, connects to nothing, and exits with 1',
  async (name) => {
    const { code, output } = await runService(name, {
      REDIS_URL: 'http://127.0.0.1:1',
      PORT: '99999',
      SECRETS_KEYRING: 'k1:not-a-secret-of-32-bytes',
      WEBHOOK_ALLOWED_NETWORKS: '10.0.0.1/8',
    })
    expect(code).toBe(1)
    expect(output.trimEnd().split('\n')).toEqual([
      'The configuration has 5 errors:',
      '  DATABASE_URL is missing',
      expect.stringMatching(/^  REDIS_URL must be a URL that starts with redis:/),
      '  PORT must be a whole number from 0 to 65535',
      '  SECRETS_KEYRING must list <id>:<base64 of 32 bytes>',
      '  WEBHOOK_ALLOWED_NETWORKS has an entry, 10.0.0.1/8, that has host bits set',
    ])
  },
)

test('the API reports an unreadable logo together with the other errors', async () => {
  const { code, output } = await runService('api', {
    OIDC_ISSUER: 'http://id.example.com',
    BRAND_LOGO: '/nowhere/logo.svg',
  })
  expect(code).toBe(1)
  const errors = output.trimEnd().split('\n').slice(1)
  expect(errors.map((line) => line.trim().split(' ')[0])).toEqual([
    'DATABASE_URL',
    'REDIS_URL',
    'OIDC_CLIENT_ID',
    'OIDC_ISSUER',
    'BRAND_LOGO',
  ])
  expect(output).toContain('BRAND_LOGO cannot be read (ENOENT): /nowhere/logo.svg')
})

test.each(['api', 'worker'] as const)('%s exits with 0 on SIGTERM', async (name) => {
  const service = await startService(name, stack.environment)
  const ready = await fetch(`http://127.0.0.1:${service.internalPort}/readyz`)
  expect(await ready.json()).toMatchObject({ checks: { database: 'ok' } })
  expect(await service.stop()).toBe(0)
})

/** Starts a proxy whose first connections break, as those to a server that is not there yet. */
async function startLateServer(serverUrl: string): Promise<TcpProxy> {
  let attempts = 0
  return await startTcpProxy(() => (attempts++ < 3 ? 'tcp://127.0.0.1:1' : serverUrl))
}

test.each(['api', 'worker'] as const)(
  '%s waits for PostgreSQL and Redis at startup, then works',
  async (name) => {
    const postgres = await startLateServer(stack.databaseUrl)
    const redis = await startLateServer(stack.redisUrl)
    const service = await startService(name, {
      ...stack.environment,
      DATABASE_URL: throughProxy(stack.databaseUrl, postgres),
      DATABASE_DIRECT_URL: '',
      REDIS_URL: throughProxy(stack.redisUrl, redis),
      REDIS_MODE: 'single',
    })
    expect(service.lines.join()).toContain('waiting for PostgreSQL')
    const readiness = async () => {
      const response = await fetch(`http://127.0.0.1:${service.internalPort}/readyz`)
      return (await response.json()) as { status: string }
    }
    await until(readiness, ({ status }) => status === 'ok')
    expect(await service.stop()).toBe(0)
    await Promise.all([postgres.close(), redis.close()])
  },
)

test.each(['api', 'worker'] as const)(
  '%s does not wait for PostgreSQL if its password is wrong, and otherwise waits for the configured time',
  async (name) => {
    const wrong = new URL(stack.databaseUrl)
    wrong.password = 'wrong'
    const refused = await runService(name, { ...stack.environment, DATABASE_URL: wrong.href })
    expect(refused.code).toBe(1)
    expect(refused.output).toContain('password authentication failed')
    expect(refused.output).not.toContain('waiting for PostgreSQL')
    const late = await runService(name, {
      ...stack.environment,
      DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
      START_TIMEOUT_SECONDS: '3',
    })
    expect(late.code).toBe(1)
    expect(late.output).toContain('waiting for PostgreSQL')
  },
)

const throughProxy = (serverUrl: string, { url }: TcpProxy): string => {
  const through = new URL(serverUrl)
  through.host = new URL(url).host
  return through.href
}

const changeable = /the database role of this process may change the audit log/

test.each(['api', 'worker'] as const)(
  '%s warns at startup if its database role may change the audit log',
  async (name) => {
    const role = { name: `app_${randomBytes(6).toString('hex')}`, password: 'a password' }
    await grantToAppRole(stack.databaseUrl, role)
    const url = new URL(stack.databaseUrl)
    ;[url.username, url.password] = [role.name, role.password]
    const asOwner = await startService(name, stack.environment)
    const asRole = await startService(name, {
      ...stack.environment,
      DATABASE_URL: url.href,
      DATABASE_DIRECT_URL: url.href,
    })
    await Promise.all([asOwner.stop(), asRole.stop()])
    expect(asOwner.lines.filter((line) => changeable.test(line))).toHaveLength(1)
    expect(asRole.lines.filter((line) => changeable.test(line))).toEqual([])
    await administerServer(`REASSIGN OWNED BY ${role.name} TO CURRENT_USER`, stack.databaseUrl)
    await administerServer(`DROP OWNED BY ${role.name}`, stack.databaseUrl)
    await administerServer(`DROP ROLE ${role.name}`)
  },
)

test('a process warns at startup about a connection without TLS', async () => {
  const mail = { SMTP_URL: 'smtp://user:hidden@mail.example.com', MAIL_FROM: 'a@example.com' }
  const warned = (lines: readonly string[]) => lines.filter((line) => /TLS/.test(line))
  const open = await startService('worker', { ...stack.environment, ...mail })
  const closed = await startService('worker', stack.environment)
  await Promise.all([open.stop(), closed.stop()])
  expect(warned(open.lines)).toHaveLength(1)
  expect(JSON.parse(warned(open.lines)[0]!)).toMatchObject({ level: 40, variable: 'SMTP_URL' })
  expect(open.lines.join()).not.toContain('hidden')
  expect(warned(closed.lines)).toEqual([])
})

/** Makes a process fail on a signal in a way that its own code never does. */
const failing = `process.once('SIGUSR2', () => {
  process.emitWarning('whsec_warned')
  setImmediate(() => Promise.reject(Object.assign(new Error('whsec_thrown'), { detail: 'kept' })))
})`

const lineOf = (level: number, msg: string): unknown =>
  expect.objectContaining({ level, msg, err: expect.objectContaining({ message: redacted }) })
const redacted = 'whsec_[secret]'

test('warnings and uncaught errors that Node would print are log lines', async () => {
  const service = await startService('worker', {
    ...stack.environment,
    NODE_OPTIONS: `--import=${writeTemporary('failing.mjs', failing)}`,
  })
  const { pid } = JSON.parse(service.lines[0]!) as { pid: number }
  process.kill(pid, 'SIGUSR2')
  expect(await service.ended).toBe(1)
  const lines = service.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines).toEqual(
    expect.arrayContaining([lineOf(40, 'Node emitted a warning'), lineOf(60, 'unhandled error')]),
  )
  expect(service.lines.join('\n')).not.toMatch(/kept|thrown|warned/)
})

test('no log line contains a secret of the configuration', async () => {
  const environment: Record<string, string> = { ...stack.environment, LOG_LEVEL: 'trace' }
  const service = await startService('api', environment)
  await fetch(`http://127.0.0.1:${service.port}/api/v1/auth/me`, {
    headers: { authorization: 'Bearer hctl_secretsecret_unmistakable' },
  })
  await service.stop()
  const log = service.lines.join('\n')
  const keyring = environment['SECRETS_KEYRING']!.split(':')[1]!
  for (const secret of [keyring, environment['SERVER_SECRET']!, 'unmistakable']) {
    expect(log).not.toContain(secret)
  }
  expect(service.lines.length).toBeGreaterThan(2)
})
