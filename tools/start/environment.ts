import { createHash } from 'node:crypto'
import { processEnvironment } from '../process-environment.ts'
import type { Keepsake } from './keepsake.ts'
import type { Servers } from './servers.ts'

/**
 * What the API and the worker are configured with (docs/specification/operations.md#configuration). Other
 * variables are the caller's, so that `WEBHOOK_RETRY_DELAYS_SECONDS=1,1 npm start` works.
 */
export function toEnvironment(
  { redisUrl, ...servers }: Servers,
  kept: Keepsake,
): Readonly<Record<string, string | undefined>> {
  const logLevel = process.env['LOG_LEVEL'] ?? ''
  return {
    ...processEnvironment,
    ...process.env,
    DATABASE_URL: appUrlOf(servers, kept),
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
  }
}

const appRole = 'hosting_app'

/** What `npm run migrate` is told, so that a server of our own gets a role for the API and the worker. */
export const toMigrationEnvironment = (
  { databaseUrl, isOwnPostgres }: Omit<Servers, 'redisUrl'>,
  { databasePassword }: Keepsake,
): NodeJS.ProcessEnv => ({
  DATABASE_URL: databaseUrl,
  ...(isOwnPostgres && {
    DATABASE_APP_ROLE: appRole,
    DATABASE_APP_PASSWORD: databasePassword,
  }),
})

/** The same database as the role of the API and the worker, on a server of our own. */
function appUrlOf(
  { databaseUrl, isOwnPostgres }: Omit<Servers, 'redisUrl'>,
  { databasePassword }: Keepsake,
): string {
  if (!isOwnPostgres) return databaseUrl
  const url = new URL(databaseUrl)
  url.username = appRole
  url.password = databasePassword
  return url.href
}
