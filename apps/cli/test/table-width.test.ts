import { beforeAll, describe, expect, test } from '@jest/globals'
import { recordAttempts } from '../../api/test/support/recorded-attempts.ts'
import { documentOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const columns = 80
let webhookId = ''

beforeAll(async () => {
  const { api, tenant, hctl } = user
  const long = 'a description that is longer than a narrow terminal can show beside the rest of it'
  const url = 'http://127.0.0.1:9/a/path/that/is/longer/than/a/narrow/terminal/can/show'
  const words = ['--url', url, '--event', 'site.*,job.failed,backup.*', '--description', long]
  webhookId = documentOf(await hctl(['webhooks', 'create', '--json', ...words])).webhook.id
  await hctl(['keys', 'create', '--name', long, '--scope', 'sites:read,dns:read,mail:read'])
  await hctl(['webhooks', 'test', webhookId, '--event', 'dns.records_changed'])
  await recordAttempts(api, { tenant, webhookId }, 'FFFFFSF')
})

/** The longest line of a command in a terminal. */
async function widest(line: string): Promise<number> {
  const { stdout, code } = await user.hctl(line, { terminal: true, columns })
  expect(code).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(1)
  return Math.max(...lines.map(({ length }) => length))
}

describe('every table fits a terminal of 80 columns', () => {
  test.each([
    'keys list',
    'keys scopes',
    'webhooks list',
    'deliveries list',
    'events types',
    'audit',
    'profiles list',
  ])('hctl %s', async (line) => {
    expect(await widest(line)).toBeLessThanOrEqual(columns)
  })

  test('hctl webhooks incidents', async () => {
    expect(await widest(`webhooks incidents ${webhookId}`)).toBeLessThanOrEqual(columns)
  })

  test('hctl webhooks list, of an endpoint that was disabled because it kept failing', async () => {
    await user.api.database.pool.query(
      `UPDATE webhook_endpoints SET enabled = false, disabled_reason = 'failing' WHERE id = $1`,
      [webhookId],
    )
    expect(await widest('webhooks list')).toBeLessThanOrEqual(columns)
    const { stdout } = await user.hctl('webhooks list')
    expect(stdout).toContain('Disabled (kept failing)')
  })
})
