import { afterEach, expect, test } from '@jest/globals'
import { toEnvironment, toMigrationEnvironment } from './environment.ts'

const foreign = 'postgresql://owner@production.example:5432/hosting_control'
const before = process.env['DATABASE_DIRECT_URL']
afterEach(() => {
  if (before === undefined) delete process.env['DATABASE_DIRECT_URL']
  else process.env['DATABASE_DIRECT_URL'] = before
})

const kept = {
  secretsKeyring: 'local:key',
  serverSecret: 'secret',
  databasePassword: 'password',
  serviceToken: 'token',
  opsToken: 'token',
  password: 'password',
}

/** DATABASE_DIRECT_URL of the service and of the migration, if the shell has one. */
function directUrls(isOwnPostgres: boolean): unknown[] {
  process.env['DATABASE_DIRECT_URL'] = foreign
  const servers = { databaseUrl: 'postgresql://postgres@127.0.0.1:20001/hosting', isOwnPostgres }
  const mailbox = { url: 'smtp://127.0.0.1:8025' }
  const service = toEnvironment({ ...servers, redisUrl: 'redis://127.0.0.1' }, { kept, mailbox })
  // As runToolApart adds it to the environment of this process.
  const migration = { ...process.env, ...toMigrationEnvironment(servers, kept) }
  return [service['DATABASE_DIRECT_URL'], migration['DATABASE_DIRECT_URL']]
}

test('DATABASE_DIRECT_URL of the shell is ignored, and its database not migrated, if PostgreSQL is ours', () => {
  expect(directUrls(true)).toEqual(['', ''])
})

test('DATABASE_DIRECT_URL is used with the DATABASE_URL that it belongs to', () => {
  expect(directUrls(false)).toEqual([foreign, foreign])
})
