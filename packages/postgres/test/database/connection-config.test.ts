import { openDatabase } from '@hosting/postgres/database'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeCertificates } from '../../../../test/support/certificates.ts'
import { testEnvironment } from '../../../../test/support/environment.ts'
import { makeTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { startTlsPostgres, type TlsPostgres } from '../../../../test/support/tls-postgres.ts'

const serverUrl = testEnvironment()['DATABASE_URL']!
const folder = makeTemporaryFolder()
const servers: Record<string, TlsPostgres> = {}
const file = (name: string): string => join(folder, name)

beforeAll(async () => {
  const [right, wrong] = await Promise.all([
    makeCertificates({ addresses: ['127.0.0.1'] }),
    makeCertificates({ names: ['other.example'] }),
  ])
  await writeFile(file('right.pem'), right.ca)
  await writeFile(file('wrong.pem'), wrong.ca)
  servers['right'] = await startTlsPostgres(serverUrl, right)
  servers['wrong'] = await startTlsPostgres(serverUrl, wrong)
  servers['plain'] = await startTlsPostgres(serverUrl)
})
afterAll(() => {
  for (const server of Object.values(servers)) server.close()
})

/** Connects through one of the servers. Returns whether TLS was used, or the error. */
async function connect(
  name: string,
  parameters: Record<string, string>,
): Promise<boolean | string> {
  const server = servers[name]!
  const url = server.url(serverUrl)
  for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value)
  const database = openDatabase(url.href, { connectionsMax: 1, onError: () => undefined })
  try {
    await database.pool.query('SELECT 1')
    return server.usedTls
  } catch (error) {
    return (error as Error).message
  } finally {
    await database.close()
  }
}

describe('sslmode means what it means for libpq', () => {
  const unknown = expect.stringMatching(
    /^(certificate signature failure|self-signed certificate in certificate chain|unable to verify)/,
  )
  const otherName = expect.stringContaining('does not match certificate')
  const noTls = 'The server does not support SSL connections'
  const by = (ca: string) => ({ sslrootcert: () => file(`${ca}.pem`) })
  test.each([
    ['no sslmode', 'right', {}, false],
    ['disable', 'right', { sslmode: 'disable' }, false],
    ['require, of any authority', 'right', { sslmode: 'require' }, true],
    ['require, without TLS', 'plain', { sslmode: 'require' }, noTls],
    ['require, with an authority', 'wrong', { sslmode: 'require', ...by('wrong') }, true],
    ['require, of another authority', 'wrong', { sslmode: 'require', ...by('right') }, unknown],
    ['verify-ca, for another name', 'wrong', { sslmode: 'verify-ca', ...by('wrong') }, true],
    ['verify-ca, of another authority', 'wrong', { sslmode: 'verify-ca', ...by('right') }, unknown],
    ['verify-full', 'right', { sslmode: 'verify-full', ...by('right') }, true],
    [
      'verify-full, for another name',
      'wrong',
      { sslmode: 'verify-full', ...by('wrong') },
      otherName,
    ],
    [
      'verify-full, of an authority of the system',
      'right',
      { sslmode: 'verify-full', sslrootcert: 'system' },
      unknown,
    ],
    ['ssl=true', 'wrong', { ssl: 'true' }, true],
  ])('%s', async (_, server, parameters, expected) => {
    const values = Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'function' ? value() : value,
    ])
    expect(await connect(server, Object.fromEntries(values))).toEqual(expected)
  })

  test('PGSSLMODE is used without sslmode', async () => {
    process.env['PGSSLMODE'] = 'require'
    try {
      expect(await connect('wrong', {})).toBe(true)
      expect(await connect('wrong', { sslmode: 'disable' })).toBe(false)
      process.env['PGSSLMODE'] = 'prefer'
      await expect(connect('wrong', {})).rejects.toThrow('has sslmode=prefer')
    } finally {
      delete process.env['PGSSLMODE']
    }
  })
})

test('what is not supported in the URL of a database is refused by whatever opens it', () => {
  const open = (url: string) => openDatabase(url, { onError: () => undefined })
  expect(() => open('postgresql://a:1,b:2/x')).toThrow('The URL of the database must name one host')
  expect(() => open('postgresql://a/x?sslmode=verify-full&sslrootcert=/none.pem')).toThrow(
    'The URL of the database names a file in sslrootcert that cannot be read: ENOENT',
  )
})
