import { describe, expect, test } from '@jest/globals'
import { inspect } from 'node:util'
import { ConfigurationError, loadConfig } from '../../src/configuration/load-config.ts'
import { required, base64Of, errorsOf } from './support/load-config.ts'

describe('an invalid value is an error that names the variable', () => {
  test.each([
    ['DATABASE_URL', undefined],
    ['DATABASE_URL', 'mysql://db/x'],
    ['DATABASE_URL', 'db:5432'],
    ['REDIS_URL', undefined],
    ['REDIS_URL', 'http://redis'],
    ['REDIS_URL', 'redis:6379,redis://b'],
    ['REDIS_URL', ','],
    ['REDIS_URL', 'redis://'],
    ['REDIS_URL', 'redis:///0'],
    ['REDIS_URL', 'redis://a,redis://'],
    ['REDIS_URL', 'redis://:pa%ss@redis'],
    ['REDIS_URL', 'redis://us%er:pass@redis'],
    ['REDIS_URL', 'redis://redis/main'],
    ['REDIS_URL', 'redis://redis/0/'],
    ['REDIS_URL', 'redis://redis/-1'],
    ['REDIS_MODE', 'replica'],
    ['REDIS_MODE', 'Single'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', '8e3'],
    ['PORT', ' 80'],
    ['PORT', 'http'],
    ['INTERNAL_PORT', 'none'],
    ['PUBLIC_URL', 'panel.example.com'],
    ['PUBLIC_URL', 'ftp://panel.example.com'],
    ['PUBLIC_URL', 'https://panel.example.com/?a=b'],
    ['PUBLIC_URL', 'https://panel.example.com/?'],
    ['PUBLIC_URL', 'https://panel.example.com/#a'],
    ['PUBLIC_URL', 'https://panel.example.com/#'],
    ['PUBLIC_URL', 'https://user@panel.example.com/'],
    ['PUBLIC_URL', 'https://panel.example.com/hosting'],
    ['OWN_NETWORKS', '64:ff9b::/96'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/8,64:ff9b::a00:0/104'],
    ['PUBLIC_URL', "https://panel.example.com/'+alert(1)+'"],
    ['PUBLIC_URL', 'https://panel.example.com/$(id)'],
    ['PUBLIC_URL', 'https://panel.example.com/a;id'],
    ['PUBLIC_URL', 'https://panel`id`.example.com'],
    ['PUBLIC_URL', 'https://:password@panel.example.com/'],
    ['TRUSTED_PROXIES', '10.0.0.1/8'],
    ['TRUSTED_PROXIES', 'true'],
    ['TRUSTED_PROXIES', '10.0.0.0/8;fd00::/8'],
    ['OWN_NETWORKS', '10.0.0.0/33'],
    ['OWN_NETWORKS', 'fe80::1%eth0'],
    ['WEBHOOK_ALLOWED_NETWORKS', 'localhost'],
    ['WEBHOOK_ALLOWED_NETWORKS', '010.0.0.0/8'],
    ['WEBHOOK_SOURCE_ADDRESSES', '203.0.113.7/24'],
    ['SUPPORT_URL', 'javascript:alert(1)'],
    ['SUPPORT_URL', 'support@example.com'],
    ['SUPPORT_URL', 'mailto:nobody'],
    ['SECURITY_CONTACT', 'http://example.com'],
    ['KEY_PREFIX', 'a'],
    ['KEY_PREFIX', 'abcdefghijklm'],
    ['KEY_PREFIX', 'Acme'],
    ['WEBHOOK_HEADER_PREFIX', '1Acme'],
    ['WEBHOOK_HEADER_PREFIX', 'Acme_Hosting'],
    ['WEBHOOK_HEADER_PREFIX', 'a'.repeat(31)],
    ['WEBHOOK_HEADER_PREFIX', 'webhook'],
    ['WEBHOOK_USER_AGENT', 'Acme-Webhooks/2'],
    ['WEBHOOK_USER_AGENT', 'Acme Webhooks/1'],
    ['BRAND_NAME', 'a'.repeat(61)],
    ['BRAND_NAME', 'Ac\u202eme'],
    ['BRAND_COMMAND', 'a'],
    ['BRAND_COMMAND', 'acme-cloud'],
    ['BRAND_COMMAND', 'a'.repeat(21)],
    ['BRAND_LOGO', 'logo.gif'],
    ['BRAND_COLOR', 'red'],
    ['BRAND_COLOR', '#fff'],
    ['BRAND_COLOR', '#8a8a8a'],
    ['INTERNAL_TOKENS', 'a-token-in-clear'],
    ['INTERNAL_TOKENS', 'ab'.repeat(31)],
    ['INTERNAL_TOKENS', `:${'ab'.repeat(32)}`],
    ['INTERNAL_TOKENS', `a b:${'ab'.repeat(32)}`],
    ['INTERNAL_TOKENS', `a:b:${'ab'.repeat(32)}`],
    ['INTERNAL_TOKENS', `${'ab'.repeat(32)},${'zz'.repeat(32)}`],
    ['LOG_LEVEL', 'verbose'],
    ['LOG_LEVEL', 'INFO'],
    ['SECRETS_KEYRING', base64Of(1)],
    ['SECRETS_KEYRING', ','],
    ['SECRETS_KEYRING', `:${base64Of(1)}`],
    ['SECRETS_KEYRING', 'k1:'],
    ['SECRETS_KEYRING', `k1:${base64Of(1, 31)}`],
    ['SECRETS_KEYRING', `k1:${base64Of(1, 33)}`],
    ['SECRETS_KEYRING', `k1:${base64Of(1).slice(0, 20)}*${base64Of(1).slice(20)}`],
    ['SECRETS_KEYRING', `k1:${base64Of(1)}:more`],
    ['SECRETS_KEYRING', `k 1:${base64Of(1)}`],
    ['SECRETS_KEYRING', `k1:${base64Of(1)},k1:${base64Of(2)}`],
    ['SERVER_SECRET', base64Of(1, 31)],
    ['SERVER_SECRET', `a:${base64Of(1)},${base64Of(2)}`],
    ['SERVER_SECRET', `a:${base64Of(1)},b:${base64Of(2, 31)}`],
    ['SERVER_SECRET', `a:${base64Of(1)},a:${base64Of(2)}`],
    ['SERVER_SECRET', `a b:${base64Of(1)}`],
    ['SERVER_SECRET', ','],
    ['SERVER_SECRET', 'correct horse battery staple correct horse battery staple'],
    ['WEBHOOK_RETRY_DELAYS_SECONDS', ','],
    ['WEBHOOK_RETRY_DELAYS_SECONDS', '60,-1'],
    ['WEBHOOK_RETRY_DELAYS_SECONDS', '60,5m'],
    ['WEBHOOK_RETRY_DELAYS_SECONDS', '60,Infinity'],
    ['WEBHOOK_TIMEOUT_SECONDS', '0'],
    ['WEBHOOK_TIMEOUT_SECONDS', '-1'],
    ['WEBHOOK_TIMEOUT_SECONDS', '10s'],
    ['WEBHOOK_TIMEOUT_SECONDS', 'NaN'],
    ['WORKER_CONCURRENCY', '0'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'otel:4317'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:pass@otel:4318'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['WORKER_CONCURRENCY', '1.5'],
  ])('%s=%s', (variable, text) => {
    const errors = errorsOf({ ...required, [variable]: text })
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(new RegExp(`^${variable} \\S+`))
  })
})

test.each([
  ['smtp://', /^SMTP_URL must name a host$/],
  ['smtps://', /^SMTP_URL must name a host$/],
  ['smtp://mail:25/inbox', /^SMTP_URL must have no path, query or fragment/],
  ['smtp://mail:25?tls=off', /^SMTP_URL must have no path, query or fragment/],
  ['smtps://mail/#a', /^SMTP_URL must have no path, query or fragment/],
  ['smtp://ana:pa%ss@mail', /^SMTP_URL must have credentials in percent-encoding/],
  ['smtp://a%na:pass@mail', /^SMTP_URL must have credentials in percent-encoding/],
])('SMTP_URL=%s is an error that names the variable', (SMTP_URL, message) => {
  const errors = errorsOf({ ...required, MAIL_FROM: 'a@example.com', SMTP_URL })
  expect(errors).toEqual([expect.stringMatching(message)])
})

describe('several invalid values', () => {
  const secrets = {
    DATABASE_URL: 'mysql://app:hidden-1@db/x',
    REDIS_URL: 'redis://:hidden-2%@redis',
    SECRETS_KEYRING: 'k1:hidden3',
    SERVER_SECRET: 'hidden4',
    INTERNAL_TOKENS: 'hidden-5',
  }
  const env = { ...secrets, PORT: 'a', WEBHOOK_TIMEOUT_SECONDS: 'b', OWN_NETWORKS: '10.0.0.1/8' }

  test('are all listed in one message, one per line', () => {
    const errors = errorsOf(env)
    expect(errors.map((error) => error.split(' ')[0]!).toSorted()).toEqual(
      Object.keys(env).toSorted(),
    )
    expect(() => loadConfig(env)).toThrow(ConfigurationError)
    expect(new ConfigurationError(errors).message.split('\n')).toEqual([
      `The configuration has ${errors.length} errors:`,
      ...errors.map((error) => `  ${error}`),
    ])
  })

  test('are listed together with missing variables', () => {
    const errors = errorsOf({ PORT: 'a' })
    expect(errors).toEqual([
      'DATABASE_URL is missing',
      'REDIS_URL is missing',
      expect.stringMatching(/^PORT must be/),
    ])
  })

  test.each(['http://id.example.com', 'ftp://id.example.com', 'https://id.example.com/?a=b'])(
    'are listed together with the settings that they require: OIDC_ISSUER=%s',
    (OIDC_ISSUER) => {
      const named = { OIDC_ISSUER, BRAND_LOGO: 'logo.gif', SMTP_URL: 'http://mail', PORT: 'a' }
      const errors = errorsOf({ ...required, ...named })
      expect(errors.map((error) => error.split(' ')[0]!).toSorted()).toEqual(
        [...Object.keys(named), 'OIDC_CLIENT_ID', 'MAIL_FROM'].toSorted(),
      )
      expect(errors).toContain('OIDC_CLIENT_ID is missing: OIDC_ISSUER needs it')
      const withClient = { ...required, OIDC_ISSUER, OIDC_CLIENT_ID: 'panel' }
      expect(errorsOf(withClient)).toEqual([expect.stringMatching(/^OIDC_ISSUER must/)])
    },
  )

  test('are listed together with the errors that a process finds in valid values', () => {
    const errors = (): readonly string[] => {
      try {
        loadConfig({ PORT: 'a', BRAND_LOGO: 'logo.svg' }, ({ port, brandLogo }) => [
          `BRAND_LOGO cannot be read: ${brandLogo}, ${port}`,
        ])
      } catch (error) {
        return (error as ConfigurationError).errors
      }
      return []
    }
    expect(errors()).toEqual([
      'DATABASE_URL is missing',
      'REDIS_URL is missing',
      expect.stringMatching(/^PORT must be/),
      'BRAND_LOGO cannot be read: logo.svg, undefined',
    ])
  })

  test('are not quoted if they are secret', () => {
    for (const text of [errorsOf(env).join(), inspectThrown(env)]) {
      expect(text).not.toMatch(/hidden/)
    }
  })

  function inspectThrown(of: Record<string, string>): string {
    try {
      loadConfig(of)
      return ''
    } catch (error) {
      return inspect(error, { depth: 10, showHidden: true })
    }
  }
})

test.each(['panel', '127.0.0.1', 'a_b.example.com', 'panel.example.com\r\nQUIT'])(
  'SMTP_NAME=%j is an error that names the variable',
  (SMTP_NAME) => {
    const mail = { SMTP_URL: 'smtp://mail', MAIL_FROM: 'a@example.com' }
    expect(errorsOf({ ...required, ...mail, SMTP_NAME })).toEqual([
      'SMTP_NAME must be a host name with a dot, in ASCII',
    ])
  },
)

describe('a part of REDIS_URL that would be ignored is an error:', () => {
  test.each([
    ['single', 'redis://redis/0?tls=true', /^REDIS_URL must have no query or fragment/],
    ['cluster', 'redis://a,redis://b/1', /^REDIS_URL must have no path with REDIS_MODE=cluster/],
    ['single', 'redis://redis/0,redis://other/name', /^REDIS_URL must have no path, or the number/],
  ])('REDIS_MODE=%s with %s', (REDIS_MODE, REDIS_URL, message) => {
    const errors = errorsOf({ ...required, REDIS_MODE, REDIS_URL })
    expect(errors).toEqual([expect.stringMatching(message)])
  })

  test('a cluster may name database 0', () => {
    const named = { REDIS_MODE: 'cluster', REDIS_URL: 'redis://a/0,redis://b' }
    expect(errorsOf({ ...required, ...named })).toEqual([])
  })
})
