import { expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { useApi } from '../../../test/support/api.ts'
import { serviceToken } from '../../../test/support/environment.ts'
import { root } from '../../../tools/run.ts'

const api = useApi()

/** Runs an example of the README. Returns what it prints. */
async function run(example: string, environment: Record<string, string>): Promise<string[]> {
  const file = `${root}packages/platform-sdk/examples/${example}.ts`
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    env: {
      PATH: process.env['PATH'],
      INTERNAL_URL: api.internalUrl,
      SERVICE_TOKEN: serviceToken,
      ...environment,
    },
  })
  return stdout.trim().split('\n')
}

test('publish.ts publishes an event', async () => {
  const { id } = await api.makeTenant()
  expect(await run('publish', { TENANT_ID: id })).toEqual(['Published to 0 endpoints'])
})

test('sync.ts sends the differences, and prints the records that only the service has', async () => {
  const { id } = await api.makeTenant()
  const tenant = { id: randomUUID(), slug: `t-${id}`, name: 'Acme' }
  const records = { tenants: [tenant], accounts: [], users: [] }
  const lines = await run('sync', { RECORDS: JSON.stringify(records) })
  expect(lines).toContain('Sent 0, refused 1')
  expect(lines).toContain(`Only in the service: tenant ${id} Acme`)
})
