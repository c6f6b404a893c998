import { expect, test } from '@jest/globals'
import { findConnectionWarnings } from '../../src/configuration/connection-warnings.ts'
import { loadConfig } from '../../src/configuration/load-config.ts'
import { required } from './support/load-config.ts'

const local = { DATABASE_URL: 'postgres://127.0.0.1/x', REDIS_URL: 'redis://127.0.0.1' }

const warnedOf = (env: Record<string, string>): string[] => {
  const mail = env['SMTP_URL'] ? { MAIL_FROM: 'a@example.com' } : {}
  const config = loadConfig({ ...required, ...local, ...mail, ...env })
  return findConnectionWarnings(config).map(({ variable }) => variable)
}

test.each([
  ['DATABASE_URL', 'postgres://app:hidden@db.example.com/x'],
  ['DATABASE_URL', 'postgres://db.example.com/x?sslmode=disable'],
  ['DATABASE_URL', 'postgres://db.example.com/x?sslmode=require'],
  ['DATABASE_URL', 'postgres://db.example.com/x?sslmode=verify-ca&sslrootcert=ca.pem'],
  ['DATABASE_URL', 'postgres://10.0.0.5/x'],
  ['DATABASE_URL', 'postgres://postgres/x'],
  ['DATABASE_URL', 'postgres://[2001:db8::1]/x'],
  ['DATABASE_URL', 'postgres:///x?host=db.example.com'],
  ['DATABASE_DIRECT_URL', 'postgres://db.example.com/x?sslmode=require'],
  ['REDIS_URL', 'redis://redis.example.com'],
  ['REDIS_URL', 'redis://203.0.113.7:6379'],
  ['REDIS_URL', 'redis://10.0.0.1,redis://[2001:db8::1]'],
  ['SMTP_URL', 'smtp://mail.example.com:587'],
  ['SMTP_URL', 'smtp://user:hidden@mail.example.com'],
])('%s=%s causes a warning', (variable, url) => {
  expect(warnedOf({ [variable]: url })).toEqual([variable])
})

test.each([
  ['DATABASE_URL', 'postgres://db.example.com/x?sslmode=verify-full'],
  ['DATABASE_URL', 'postgres://localhost/x'],
  ['DATABASE_URL', 'postgres://127.1.2.3/x?sslmode=disable'],
  ['DATABASE_URL', 'postgres://[::1]/x'],
  ['DATABASE_URL', 'postgres:///x?host=/var/run/postgresql'],
  ['DATABASE_URL', 'postgres://%2Fvar%2Frun%2Fpostgresql/x'],
  ['REDIS_URL', 'rediss://redis.example.com'],
  ['REDIS_URL', 'redis://10.0.0.1,redis://[fd00::1],redis://192.168.1.1,redis://172.16.0.1'],
  ['REDIS_URL', 'redis://redis:6379'],
  ['SMTP_URL', 'smtps://mail.example.com'],
  ['SMTP_URL', 'smtp://localhost:25'],
  ['SMTP_URL', 'smtp://192.168.1.1'],
])('%s=%s causes no warning', (variable, url) => {
  expect(warnedOf({ [variable]: url })).toEqual([])
})
