import { beforeAll, describe, expect, test } from '@jest/globals'
import { recordAttempts } from '../../api/test/support/recorded-attempts.ts'
import { documentOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
let webhookId = ''

beforeAll(async () => {
  const { api, tenant, hctl } = user
  const long = 'a description that is longer than a narrow terminal can show beside the rest of it'
  const url = 'http://127.0.0.1:9/a/path/that/is/longer/than/a/narrow/terminal/can/show'
  const words = ['--url', url, '--event-type', 'site.*,job.failed,backup.*', '--description', long]
  webhookId = documentOf(await hctl(['webhooks', 'create', '--json', ...words])).webhook.id
  await hctl(['keys', 'create', '--name', long, '--scope', 'sites:read,dns:read,mail:read'])
  await hctl(['webhooks', 'test', webhookId, '--event-type', 'dns.records_changed'])
  await recordAttempts(api, { tenant, webhookId }, 'FFFFFSF')
})

/** The longest line of a command in a terminal. */
async function widest(line: string, columns: number): Promise<number> {
  const { stdout, code } = await user.hctl(line, {
    terminal: true,
    columns,
    env: { NO_COLOR: '1' },
  })
  expect(code).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(1)
  return Math.max(...lines.map(({ length }) => length))
}

describe.each([80, 50])('every table fits a terminal of %i columns', (columns) => {
  test.each([
    'keys list',
    'keys scopes',
    'webhooks list',
    'deliveries list',
    'events types',
    'audit',
    'profiles list',
  ])('hctl %s', async (line) => {
    expect(await widest(line, columns)).toBeLessThanOrEqual(columns)
  })

  test('hctl webhooks incidents', async () => {
    expect(await widest(`webhooks incidents ${webhookId}`, columns)).toBeLessThanOrEqual(columns)
  })

  test('hctl webhooks list, of an endpoint that was disabled because it kept failing', async () => {
    await user.api.database.pool.query(
      `UPDATE webhook_endpoints SET enabled = false, disabled_reason = 'failing' WHERE id = $1`,
      [webhookId],
    )
    expect(await widest('webhooks list', columns)).toBeLessThanOrEqual(columns)
    const { stdout } = await user.hctl('webhooks list')
    expect(stdout).toContain('Disabled (kept failing)')
  })

  test('hctl webhooks list tells endpoints apart by their names', async () => {
    const { stdout } = await user.hctl('webhooks list', { terminal: true, columns })
    expect(stdout).toMatch(/^ID +ENDPOINT +STATUS +HEALTH/)
    expect(stdout).toContain(columns === 80 ? 'a description that is lo' : 'a descri')
  })
})
