import { createHash } from 'node:crypto'
import type { Keepsake } from './keepsake.ts'
import type { Servers } from './servers.ts'

/**
 * What the API and the worker are configured with (contract §6). Other variables are the caller's, so
 * that `WEBHOOK_RETRY_DELAYS_SECONDS=1,1 npm start` works.
 */
export function toEnvironment(
  { databaseUrl, redisUrl }: Servers,
  kept: Keepsake,
): Readonly<Record<string, string | undefined>> {
  const logLevel = process.env['LOG_LEVEL'] ?? ''
  return {
    ...process.env,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    HOST: '127.0.0.1',
    INTERNAL_TOKENS: createHash('sha256').update(kept.serviceToken).digest('hex'),
    SECRETS_KEYRING: kept.secretsKeyring,
    SERVER_SECRET: kept.serverSecret,
    OPS_TOKEN: kept.opsToken,
    // The receiver is on this machine.
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    // Not less, because the log tells that a process listens.
    LOG_LEVEL: ['debug', 'trace'].includes(logLevel) ? logLevel : 'info',
    // Names are looked up in these threads: one dead name server must not hold up all deliveries.
    UV_THREADPOOL_SIZE: '64',
  }
}
