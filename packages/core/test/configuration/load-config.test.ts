import { describe, expect, test } from '@jest/globals'
import { inspect } from 'node:util'
import { formatNetwork } from '../../src/network/networks.ts'
import { required, base64Of, load, errorsOf } from './support/load-config.ts'

describe('with only the required variables', () => {
  const config = load()

  test.each([
    ['redisMode', 'single'],
    ['port', 8080],
    ['internalPort', 9090],
    ['publicUrl', undefined],
    ['sessionIdleMs', 43_200_000],
    ['sessionLifetimeMs', 604_800_000],
    ['trustedProxies', []],
    ['internalTokens', []],
    ['logLevel', 'info'],
    ['secretsKeyring', undefined],
    ['ownNetworks', undefined],
    ['serverSecrets', undefined],
    ['allowedNetworks', []],
    ['attemptTimeoutMs', 10_000],
    ['workerConcurrency', 100],
    ['tracesEndpoint', undefined],
    ['tracesSampler', 'parentbased_always_on'],
    ['tracesSamplerRatio', 1],
    ['opsToken', undefined],
  ] as const)('%s is %j', (name, value) => expect(config[name]).toEqual(value))

  test('the URLs of the servers are the configured ones', () => {
    expect(config.databaseUrl.reveal()).toBe(required.DATABASE_URL)
    expect(config.redisNodes.reveal()).toEqual([required.REDIS_URL])
  })

  test('an empty variable counts as unset', () => {
    const empty = { PORT: '', OWN_NETWORKS: '', SECRETS_KEYRING: '', OPS_TOKEN: '', PUBLIC_URL: '' }
    expect(load(empty)).toEqual(config)
  })

  test('other variables are not read', () => {
    expect(load({ HOME: '/root', WEBHOOK_UNKNOWN: 'x' })).toEqual(config)
  })

  test('the configuration is frozen', () => {
    expect(Object.isFrozen(config)).toBe(true)
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError)
  })
})

describe('a value that is set', () => {
  test.each([
    ['PORT', '0', 'port', 0],
    ['PORT', '65535', 'port', 65_535],
    ['INTERNAL_PORT', '9999', 'internalPort', 9_999],
    ['PUBLIC_URL', 'https://panel.example.com', 'publicUrl', 'https://panel.example.com'],
    ['PUBLIC_URL', 'https://panel.example.com/', 'publicUrl', 'https://panel.example.com'],
    ['PUBLIC_URL', 'http://localhost:8080/', 'publicUrl', 'http://localhost:8080'],
    ['SESSION_IDLE_SECONDS', '900', 'sessionIdleMs', 900_000],
    ['SESSION_LIFETIME_SECONDS', '86400', 'sessionLifetimeMs', 86_400_000],
    ['LOG_LEVEL', 'debug', 'logLevel', 'debug'],
    ['REDIS_MODE', 'cluster', 'redisMode', 'cluster'],
    ['REDIS_MODE', 'sentinel', 'redisMode', 'sentinel'],
    ['WEBHOOK_RETRY_DELAYS_SECONDS', '1', 'retryDelaysMs', [1_000]],
    ['WEBHOOK_RETRY_DELAYS_SECONDS', '0, 2 ,30', 'retryDelaysMs', [0, 2_000, 30_000]],
    ['WEBHOOK_TIMEOUT_SECONDS', '10', 'attemptTimeoutMs', 10_000],
    ['WEBHOOK_TIMEOUT_SECONDS', '0.5', 'attemptTimeoutMs', 500],
    ['WORKER_CONCURRENCY', '1', 'workerConcurrency', 1],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://otel:4318/', 'tracesEndpoint', 'http://otel:4318'],
    ['OTEL_TRACES_SAMPLER', 'always_off', 'tracesSampler', 'always_off'],
    ['OTEL_TRACES_SAMPLER_ARG', '0.25', 'tracesSamplerRatio', 0.25],
  ] as const)('%s=%s is read', (variable, text, name, value) => {
    expect(load({ [variable]: text })[name]).toEqual(value)
  })

  test.each([
    ['TRUSTED_PROXIES', 'trustedProxies'],
    ['OWN_NETWORKS', 'ownNetworks'],
    ['WEBHOOK_ALLOWED_NETWORKS', 'allowedNetworks'],
  ] as const)('%s lists networks', (variable, name) => {
    const networks = load({ [variable]: '10.0.0.0/8, fd00::/8,203.0.113.7' })[name]!
    expect(networks.map(formatNetwork)).toEqual(['10.0.0.0/8', 'fd00::/8', '203.0.113.7/32'])
  })

  test.each([
    'https://id.example.com/tenant',
    'http://localhost:9',
    'http://127.0.0.1',
    'http://[::1]',
  ])('OIDC_ISSUER may be %s, with OIDC_CLIENT_ID', (issuer) => {
    const { oidcIssuer } = load({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'panel' })
    expect(oidcIssuer).toBe(issuer)
    expect(() => load({ OIDC_ISSUER: issuer })).toThrow(/OIDC_CLIENT_ID is missing/)
  })

  test('INTERNAL_TOKENS lists hashes, each optionally with the name of its service', () => {
    const hash = 'ab'.repeat(32)
    const { internalTokens } = load({
      INTERNAL_TOKENS: `${hash},${hash.toUpperCase()}, billing-2:${hash}`,
    })
    expect(internalTokens).toEqual(
      [null, null, 'billing-2'].map((service) => ({ service, hash: Buffer.alloc(32, 0xab) })),
    )
  })

  test('SECRETS_KEYRING keeps its order, the first encrypts', () => {
    const { secretsKeyring } = load({ SECRETS_KEYRING: `new:${base64Of(2)}, old:${base64Of(1)}` })
    expect(secretsKeyring!.reveal()).toEqual([
      { id: 'new', key: Buffer.alloc(32, 2) },
      { id: 'old', key: Buffer.alloc(32, 1) },
    ])
  })

  test.each([32, 33, 64])('SERVER_SECRET may be %i bytes', (length) => {
    const { serverSecrets } = load({ SERVER_SECRET: base64Of(3, length) })
    expect(serverSecrets!.reveal()).toEqual([Buffer.alloc(length, 3)])
  })

  test('SERVER_SECRET may have several versions, the first creates hashes', () => {
    const { serverSecrets } = load({
      SERVER_SECRET: `2026-11:${base64Of(1)}, old:${base64Of(2, 64)}`,
    })
    expect(serverSecrets!.reveal()).toEqual([Buffer.alloc(32, 1), Buffer.alloc(64, 2)])
  })

  test('REDIS_URL may name several nodes', () => {
    const { redisNodes } = load({ REDIS_URL: 'redis://a:6379, rediss://b:6380' })
    expect(redisNodes.reveal()).toEqual(['redis://a:6379', 'rediss://b:6380'])
  })

  test.each([
    ['single', 'redis://redis'],
    ['single', 'redis://redis/'],
    ['single', 'rediss://ana:p%40ss%25@[::1]:6380/3'],
    ['sentinel', 'redis://:p%40ss@sentinel-1:26379/mymaster,redis://sentinel-2:26379'],
    ['cluster', 'rediss://node-1:6379,rediss://node-2:6379'],
  ])('with REDIS_MODE=%s, REDIS_URL may be %s', (REDIS_MODE, REDIS_URL) => {
    expect(load({ REDIS_MODE, REDIS_URL }).redisNodes.reveal()).toEqual(REDIS_URL.split(','))
  })

  test.each(['postgres://db/x', 'postgresql://db/x?sslmode=require'])(
    'DATABASE_URL may be %s',
    (url) => expect(load({ DATABASE_URL: url }).databaseUrl.reveal()).toBe(url),
  )
})

describe('a secret', () => {
  const config = load({
    SECRETS_KEYRING: `k1:${base64Of(1)}`,
    SERVER_SECRET: base64Of(2),
    OPS_TOKEN: 'ops-password',
  })
  /** Interpolates a value, as code could do by mistake. */
  const printed = (value: unknown): string => `<${value as string}>`
  const hidden = ['pg-pass', 'redis-pass', base64Of(1), base64Of(2), 'ops-password']
  const secretNames = [
    'databaseUrl',
    'redisNodes',
    'secretsKeyring',
    'serverSecrets',
    'opsToken',
  ] as const

  test.each([
    ['JSON', JSON.stringify(config)],
    ['inspect', inspect(config, { depth: 10, showHidden: true })],
    ['inspect without custom printing', inspect(config, { depth: 10, customInspect: false })],
    ['templates', secretNames.map((name) => printed(config[name])).join()],
    [
      'its own keys',
      JSON.stringify(Object.entries(config).map(([, value]) => ({ ...Object(value) }))),
    ],
  ])('does not appear in %s of the configuration', (_way, text) => {
    for (const secret of hidden) expect(text).not.toContain(secret)
    expect(text).not.toContain(inspect(Buffer.alloc(32, 1)).slice(8, 40))
  })

  test.each(secretNames)('%s prints as [secret]', (name) => {
    const secret = config[name]!
    expect(printed(secret)).toBe('<[secret]>')
    expect(JSON.stringify({ secret })).toBe('{"secret":"[secret]"}')
    expect(inspect(secret)).toBe('[secret]')
    expect(Object.keys(secret)).toEqual([])
  })

  test('is returned by reveal()', () => {
    expect(config.opsToken!.reveal()).toBe('ops-password')
    expect(config.serverSecrets!.reveal()).toEqual([Buffer.alloc(32, 2)])
  })
})

describe('mail', () => {
  const mail = { SMTP_URL: 'smtp://ana:s3cret@mail.example.com:587', MAIL_FROM: 'a@example.com' }

  test.each([
    ['a@example.com', undefined, 'a@example.com'],
    ['Example <a@example.com>', 'Example', 'a@example.com'],
    ['"Example, Inc." <a@example.com>', 'Example, Inc.', 'a@example.com'],
    ['<a@localhost>', undefined, 'a@localhost'],
  ])('MAIL_FROM %j is the name %j and the address %s', (text, name, address) => {
    expect(load({ ...mail, MAIL_FROM: text }).mailFrom).toEqual({ name, address })
  })

  test.each(['nobody', 'a@b, c@d', 'A <a@example.com', 'a b@example.com', 'A\r\nBcc: x <a@b>'])(
    'MAIL_FROM %j is an error',
    (MAIL_FROM) => {
      expect(errorsOf({ ...required, ...mail, MAIL_FROM })).toEqual([
        expect.stringContaining('MAIL_FROM must be an email address'),
      ])
    },
  )

  test('one mail variable without the other is an error', () => {
    const { SMTP_URL, MAIL_FROM } = mail
    expect(errorsOf({ ...required, SMTP_URL })).toEqual(['MAIL_FROM is missing: SMTP_URL needs it'])
    expect(errorsOf({ ...required, MAIL_FROM })).toEqual([
      'SMTP_URL is missing: MAIL_FROM needs it',
    ])
    expect(load({ SMTP_URL: '', MAIL_FROM: '' }).smtpUrl).toBeUndefined()
  })

  test.each(['smtp://localhost:25', 'smtps://ana:p%40ss@mail.example.com', 'smtp://[::1]'])(
    'SMTP_URL may be %s',
    (SMTP_URL) => expect(load({ ...mail, SMTP_URL }).smtpUrl!.reveal()).toBe(SMTP_URL),
  )

  test('a URL with another scheme is an error, and neither errors nor logs contain the password', () => {
    const errors = errorsOf({ ...required, ...mail, SMTP_URL: 'http://ana:s3cret@mail' })
    expect(errors).toEqual(['SMTP_URL must be a URL that starts with smtp:// or smtps://'])
    expect(inspect(load(mail))).not.toContain('s3cret')
  })
})
