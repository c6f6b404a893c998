import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../run.ts'
import { nextSteps, summarize } from './summary.ts'

describe('the last output of npm start', () => {
  test('contains the documented URL on its own line', () => {
    const lines = nextSteps('http://127.0.0.1:8080').split('\n')
    expect(lines).toContain('  export HCTL_URL=http://127.0.0.1:8080')
    expect(lines.join('\n')).not.toContain('in use')
  })

  test('contains the actual URL and the reason for another port', () => {
    expect(nextSteps('http://localhost:8080')).toContain('allow passkeys')
    expect(nextSteps('http://127.0.0.1:8080')).toContain('Passkeys do not work')
    const text = nextSteps('http://127.0.0.1:21534')
    expect(text.split('\n')).toContain('  export HCTL_URL=http://127.0.0.1:21534')
    expect(text).toContain('8080 was in use')
    expect(text).toContain('rm .local/api.port')
  })

  test('contains the line that CI waits for', () => {
    const script = readFileSync(`${root}.ci/run`, 'utf8')
    const [, awaited] = /grep -q '([^']+)' "\$log" && break/.exec(script)!
    expect(nextSteps('http://127.0.0.1:8080')).toMatch(new RegExp(awaited!, 'm'))
  })

  test('contains no password of PostgreSQL or Redis', () => {
    const text = summarize({
      apiUrl: 'http://127.0.0.1:8080',
      internalUrl: 'http://127.0.0.1:8081',
      workerUrl: 'http://127.0.0.1:8082',
      databaseUrl: 'postgresql://postgres:sesame@127.0.0.1:5432/postgres',
      redisUrl: 'redis://:sesame@127.0.0.1:6379/0,redis://:sesame@127.0.0.1:6380/0',
      isOwnPostgres: true,
      passwordFile: '/x/.local/postgres-18/superuser-password',
      receiverUrl: 'http://127.0.0.1:8083/',
      mailFolder: '/x/.local/mail',
      email: 'admin@acme.example',
      password: 'password-of-ada',
      apiKey: 'hctl_key',
      opsToken: 'ops-token',
    })
    expect(text).not.toContain('sesame')
    expect(text).toContain(
      "PGPASSWORD=$(cat '/x/.local/postgres-18/superuser-password') psql postgresql://postgres@127.0.0.1:5432/postgres",
    )
    expect(text).toContain('redis://127.0.0.1:6379/0, redis://127.0.0.1:6380/0')
    expect(text).toMatch(/^ {2}Sign-in +admin@acme\.example {2}password-of-ada$/m)
  })
})
