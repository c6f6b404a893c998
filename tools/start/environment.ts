import { createHash } from 'node:crypto'
import { processEnvironment } from '../process-environment.ts'
import type { StartState } from './start-state.ts'
import type { Mailbox } from './mailbox.ts'
import type { Servers } from './servers.ts'

/**
 * The configuration of the API and the worker (docs/specification/operations.md#configuration). Other variables
 * come from the user, so that `WEBHOOK_RETRY_DELAYS_SECONDS=1,1 npm start` works.
 */
export function toEnvironment(
  { redisUrl, ...servers }: Servers,
  { kept, mailbox }: { readonly kept: StartState; readonly mailbox: Pick<Mailbox, 'url'> },
): Readonly<Record<string, string | undefined>> {
  const logLevel = process.env['LOG_LEVEL'] ?? ''
  return {
    ...processEnvironment,
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'notices@localhost',
    ...process.env,
    ...directUrlOf(servers),
    DATABASE_URL: appUrlOf(servers, kept),
    REDIS_URL: redisUrl,
    HOST: '127.0.0.1',
    INTERNAL_TOKENS: createHash('sha256').update(kept.serviceToken).digest('hex'),
    SECRETS_KEYRING: kept.secretsKeyring,
    SERVER_SECRET: kept.serverSecret,
    OPS_TOKEN: kept.opsToken,
    // The receiver is on this machine.
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    // Not higher, because the log line that a process listens is needed.
    LOG_LEVEL: ['debug', 'trace'].includes(logLevel) ? logLevel : 'info',
  }
}

const appRole = 'hosting_app'

/** The environment of `npm run migrate`, which creates a role for the API and the worker on our own server. */
export const toMigrationEnvironment = (
  { databaseUrl, isOwnPostgres }: Omit<Servers, 'redisUrl'>,
  { databasePassword }: StartState,
): NodeJS.ProcessEnv => ({
  DATABASE_URL: databaseUrl,
  ...directUrlOf({ isOwnPostgres }),
  ...(isOwnPostgres && {
    DATABASE_APP_ROLE: appRole,
    DATABASE_APP_PASSWORD: databasePassword,
  }),
})

/**
 * On our own server, a DATABASE_DIRECT_URL of the user names another database, which must be neither migrated nor changed.
 * An empty variable counts as unset.
 */
const directUrlOf = ({ isOwnPostgres }: Pick<Servers, 'isOwnPostgres'>): NodeJS.ProcessEnv =>
  isOwnPostgres ? { DATABASE_DIRECT_URL: '' } : {}

/** The same database with the role of the API and the worker, on our own server. */
function appUrlOf(
  { databaseUrl, isOwnPostgres }: Omit<Servers, 'redisUrl'>,
  { databasePassword }: StartState,
): string {
  if (!isOwnPostgres) return databaseUrl
  const url = new URL(databaseUrl)
  url.username = appRole
  url.password = databasePassword
  return url.href
}
