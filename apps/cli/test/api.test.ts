import { describe, expect, test } from '@jest/globals'
import { writeTemporary } from '../../../test/support/temporary-folder.ts'
import { documentOf, failureOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)

describe('hctl api', () => {
  test('prints the response as JSON, with a query, and with or without the base path', async () => {
    const own = documentOf(await hctl('whoami --json')).key.id
    for (const path of ['/api-keys?limit=1', 'api-keys?limit=1', '/api/v1/api-keys?limit=1']) {
      const { items } = documentOf(await hctl(['api', 'get', path]))
      expect(items).toHaveLength(1)
    }
    expect(documentOf(await hctl(`api GET /api-keys/${own} --json`)).key.id).toBe(own)
  })

  test('sends a body from the command line, a file or standard input', async () => {
    const json = JSON.stringify({ name: 'raw', scopes: ['sites:read'], expires_at: inAnHour() })
    const file = writeTemporary('body.json', json)
    for (const [body, stdin] of [[json], [`@${file}`], ['-', json]] as const) {
      const words = ['api', 'POST', '/api-keys', '--body', body]
      const { key } = documentOf(await hctl(words, stdin === undefined ? {} : { stdin }))
      expect(key).toMatchObject({ name: 'raw', scopes: ['sites:read'] })
      expect(await hctl(`api DELETE /api-keys/${key.id}`)).toMatchObject({ code: 0, stdout: '' })
    }
  })

  test('prints an export as the service sends it', async () => {
    const csv = await hctl(['api', 'GET', '/audit-log?format=csv&limit=1'])
    expect(csv).toMatchObject({ code: 0, stdout: expect.stringMatching(/^id,.+\r?\n.+/) })
    const lines = await hctl(['api', 'GET', '/audit-log?format=jsonl&limit=1'])
    expect(JSON.parse(lines.stdout)).toHaveProperty('action')
    const [known, unknown] = ['api_key.create', 'webhook.create']
    for (const [first, last] of [
      [known, unknown],
      [unknown, known],
    ]) {
      const path = `/audit-log?format=csv&limit=1&action=${first}&action=${last}`
      const repeated = await hctl(['api', 'GET', path, '--json'])
      expect(failureOf(repeated)).toEqual({ exit: 1, code: 'validation_failed' })
    }
    const refused = await hctl(['api', 'GET', '/webhooks?format=csv', '--json'])
    expect(failureOf(refused)).toEqual({ exit: 1, code: 'validation_failed' })
  })

  test.each([
    ['a method that does not exist', ['fetch', '/api-keys']],
    ['a URL', ['GET', 'https://other.example/api-keys']],
    ['another host', ['GET', '//other.example/api-keys']],
    ['a body that is no JSON', ['POST', '/api-keys', '--body', '{']],
    ['a file that does not exist', ['POST', '/api-keys', '--body', '@/nothing/here']],
  ])('exits with 2 for %s', async (_, words) => {
    expect(failureOf(await hctl(['api', ...words, '--json']))).toEqual({ exit: 2, code: 'usage' })
  })

  test('exits with 1 for a problem and 3 for a refusal, like every command', async () => {
    const missing = await hctl('api GET /api-keys/aaaaaaaaaaaa --json')
    expect(failureOf(missing)).toEqual({ exit: 1, code: 'not_found' })
    const refused = await hctl('api POST /auth/impersonation --body {"user_id":"x"} --json')
    expect(failureOf(refused)).toEqual({ exit: 3, code: 'api_key_not_allowed' })
  })
})

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString()
