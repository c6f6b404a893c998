import { loadConfig, type Config } from '@hosting/core/configuration'
import { createHash } from 'node:crypto'

const worker = Number(process.env['JEST_WORKER_ID'] ?? 1) - 1
const urlOfWorker = (variable: string): string =>
  (JSON.parse(process.env[variable]!) as string[])[worker]!

/** The service token that the internal API of a test accepts. */
export const serviceToken = 'test-service-token'

/** The key for keyed hashes of a process under test. */
export const serverSecret = Buffer.alloc(32, 9)

/** The environment of a process under test: this jest worker's database and Redis, and free ports. */
export const testEnvironment = (overrides: Record<string, string> = {}): Record<string, string> =>
  environmentOn({
    DATABASE_URL: urlOfWorker('TEST_DATABASE_URLS'),
    REDIS_URL: urlOfWorker('TEST_REDIS_URLS'),
    ...overrides,
  })

/** The environment of a process under test on these servers. */
export const environmentOn = (servers: {
  DATABASE_URL: string
  REDIS_URL: string
  [further: string]: string
}): Record<string, string> => ({
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  LOG_LEVEL: 'error',
  INTERNAL_TOKENS: createHash('sha256').update(serviceToken).digest('hex'),
  SECRETS_KEYRING: `test:${Buffer.alloc(32, 7).toString('base64')}`,
  SERVER_SECRET: serverSecret.toString('base64'),
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  OWN_NETWORKS: '192.0.2.0/24',
  ...servers,
})

/** The configuration of {@link testEnvironment}. */
export const testConfig = (overrides: Record<string, string> = {}): Config =>
  loadConfig(testEnvironment(overrides))
