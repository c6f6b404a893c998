import { databaseUrl } from './database-url.ts'
import * as parse from './parsers.ts'
import { defaulting, optional, required } from './setting.ts'

/** The settings of PostgreSQL, part of the configuration schema. */
export const databaseSettings = {
  databaseUrl: required({
    variable: 'DATABASE_URL',
    namesHost: true,
    summary:
      'PostgreSQL, the source of truth: `postgresql://user:password@host:5432/database`. `sslmode` has the meaning that it has for `psql`: `disable`, `require`, `verify-ca` or `verify-full`, with `sslrootcert`, `sslcert` and `sslkey`. Without it, TLS is not used.',
    parse: parse.secret(databaseUrl),
  }),
  databaseDirectUrl: optional({
    variable: 'DATABASE_DIRECT_URL',
    namesHost: true,
    summary:
      'The same database without a pooler in between, for LISTEN, retention and migrations. Set it if `DATABASE_URL` points to PgBouncer in transaction mode.',
    parse: parse.secret(databaseUrl),
    unset: '`DATABASE_URL` points to PostgreSQL directly',
  }),
  databaseAppRole: optional({
    variable: 'DATABASE_APP_ROLE',
    readBy: 'migrate',
    summary:
      'Only for `npm run migrate`: the role of the API and the worker. The migration grants it what they need. It may add to the audit log, but not change it, and it can create nothing.',
    parse: (text: string) => text,
    unset: 'the API and the worker connect as the role that migrates',
  }),
  databaseAppPassword: optional({
    variable: 'DATABASE_APP_PASSWORD',
    readBy: 'migrate',
    summary:
      'Only for `npm run migrate`: the password of `DATABASE_APP_ROLE`. If it is set, a missing role is created.',
    parse: parse.secret((text: string) => text),
    unset: 'the role must exist, and keeps its password',
  }),
  startTimeoutMs: defaulting({
    variable: 'START_TIMEOUT_SECONDS',
    summary:
      'How long a process that starts waits for PostgreSQL, if it cannot be reached. After that, it exits with 1.',
    parse: parse.seconds(0, 3_600),
    fallback: '120',
  }),
  requireDurability: defaulting({
    variable: 'REQUIRE_DURABILITY',
    summary:
      '`true`: refuse to start, and be unready, if PostgreSQL may lose what it has confirmed (`fsync`, `full_page_writes` or `synchronous_commit` is `off`). `false`: only warn. The images set `true`.',
    parse: (text: string) => parse.oneOf('true', 'false')(text) === 'true',
    fallback: 'false',
  }),
}
