import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { startSlowServer, type SlowServer } from '../../../test/support/slow-server.ts'
import { runExample } from '../../../test/support/run-example.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { root } from '../../../tools/run.ts'

let server: SlowServer
beforeEach(async () => {
  const body = JSON.stringify({ items: [], next_cursor: null })
  const headers = { 'content-type': 'application/json' }
  server = await startSlowServer({ respond: () => ({ status: 200, headers, body }) })
})
afterEach(() => server.close())

test('hctl reaches a server that takes a second to connect while its other address refuses', async () => {
  const { ended, lines } = runExample(
    [process.execPath, 'apps/cli/bin/hctl.js', 'webhooks', 'list', '--json'],
    {
      HCTL_URL: server.url,
      HCTL_TOKEN: `hctl_aaaaaaaaaaaa_${'A'.repeat(38)}`,
      XDG_CONFIG_HOME: makeTemporaryFolder(),
      NODE_OPTIONS: server.nodeOptions,
    },
  )
  await ended
  expect(lines.join('\n')).toMatch(/^(\[\]|\{\s*"items": \[\])/)
  expect(server.lookups).toBe(1)
})

test('so does a program with the SDK, with the option of Node that its documentation names', async () => {
  const program = `
    import { createClient } from '@hosting/sdk'
    const client = createClient({ baseUrl: ${JSON.stringify(server.url)}, token: 'token', retries: 0 })
    console.log((await client.GET('/webhooks')).items.length)
  `
  const { ended, lines } = runExample(
    [process.execPath, '--input-type=module', '--eval', program],
    { NODE_OPTIONS: `${server.nodeOptions} --network-family-autoselection-attempt-timeout=2500` },
    `${root}/apps/cli`,
  )
  await ended
  expect(lines).toEqual(['0'])
})
