import { describe, expect, test } from '@jest/globals'
import { errorsOf, load, required } from './support/load-config.ts'

const errorOf = (DATABASE_URL: string): string => errorsOf({ ...required, DATABASE_URL }).join('\n')

describe('the URL of the database', () => {
  test.each([
    'postgres://db/x',
    'postgresql://ana:p%40ss@[::1]:5432/x',
    'postgresql:///x?host=/var/run/postgresql&port=5433&user=ana',
    'postgres://%2Fvar%2Frun%2Fpostgresql/x',
    'postgres://db/x?schema=public&application_name=control&options=-c%20work_mem%3D8MB',
    'postgres://db/x?sslmode=disable',
    'postgres://db/x?sslmode=require',
    'postgres://db/x?sslmode=require&sslcert=a.crt&sslkey=a.key&sslrootcert=ca.pem',
    'postgres://db/x?sslmode=verify-ca&sslrootcert=ca.pem',
    'postgres://db/x?sslmode=verify-full&sslrootcert=system',
    'postgres://db/x?ssl=true',
    'postgres://db/x?target_session_attrs=any',
  ])('may be %s', (url) => {
    expect(load({ DATABASE_URL: url }).databaseUrl.reveal()).toBe(url)
  })

  const oneHost =
    'must name one host: for several servers, name a proxy or an address that leads to the primary'
  test.each([
    ['postgresql://a:5432,b:5432/x', oneHost],
    ['postgresql://ana:p,ss@a:5432,b/x?target_session_attrs=read-write', oneHost],
    ['postgresql://a,b/x', oneHost],
    ['postgresql:///x?host=a,b', oneHost],
    ['postgresql://a/x?port=5432,5433', oneHost],
    [
      'postgresql://a/x?target_session_attrs=read-write',
      'has target_session_attrs, which is not supported',
    ],
    [
      'postgresql://a/x?sslmode=prefer',
      'has sslmode=prefer, which uses no TLS if anybody on the way says so: sslmode must be one of disable, require, verify-ca, verify-full',
    ],
    ['postgresql://a/x?sslmode=allow', 'has sslmode=allow'],
    ['postgresql://a/x?sslmode=no-verify', "has an sslmode that PostgreSQL's libpq does not have"],
    [
      'postgresql://a/x?sslmode=verify-ca',
      'must name the file of a certificate authority in sslrootcert',
    ],
    [
      'postgresql://a/x?sslmode=require&sslrootcert=system',
      'must have sslmode=verify-full with sslrootcert=system',
    ],
    [
      'postgresql://a/x?sslmode=require&sslcert=a.crt',
      'must name both or neither of sslcert and sslkey',
    ],
    ['postgresql://a/x?ssl=false', 'has the parameter ssl, of which only true is supported'],
    [
      'postgresql://a/x?channel_binding=require',
      'has the parameter channel_binding, of which only disable is supported',
    ],
    [
      'postgresql://a/x?schema=other',
      'has the parameter schema, of which only public is supported',
    ],
    [
      'postgresql://a/x?connect_timeout=10',
      'has the parameter connect_timeout, which is not supported and would have no effect',
    ],
    ['postgresql://a/x?hostaddr=10.0.0.1', 'has the parameter hostaddr, which is not supported'],
    ['postgresql://a/x?sslcrl=a.pem', 'has the parameter sslcrl, which is not supported'],
    ['postgresql://a/x?pgbouncer=true', 'has the parameter pgbouncer, which is not supported'],
    ['postgresql://a/x?toString=1', 'has the parameter toString, which is not supported'],
    ['mysql://a/x', 'must be a URL that starts with postgresql:// or postgres://'],
  ])('%s is refused in words', (url, sentence) => {
    expect(errorOf(url)).toContain(`DATABASE_URL ${sentence}`)
  })
})
