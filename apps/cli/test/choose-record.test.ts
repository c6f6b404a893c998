import { expect, test } from '@jest/globals'
import { hctlInTerminal } from '../../../test/support/terminal.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { keyToken, startDeviceServer } from './support/device-server.ts'

test('in a terminal hctl asks which of several records is meant', async () => {
  const ids = ['a'.repeat(12), 'b'.repeat(12)]
  const items = ids.map((id, index) => ({ id, name: `deploy ${index}` }))
  const headers = { 'Content-Type': 'application/json' }
  const json = (body: object) => ({ status: 200, headers, body: JSON.stringify(body) })
  const device = await startDeviceServer([], {
    'GET /api/v1/api-keys?limit=100': json({ items, next_cursor: null }),
    [`GET /api/v1/api-keys/${ids[1]}/usage`]: json({ items: [] }),
  })
  const program = hctlInTerminal('keys usage deploy', {
    XDG_CONFIG_HOME: makeTemporaryFolder(),
    HCTL_URL: device.server,
    HCTL_TOKEN: keyToken,
    NO_COLOR: '1',
  })
  await program.shows(/"deploy" is the beginning or the name of more than one key\. Which one\?/)
  await program.shows(/deploy 1/)
  program.type('\u001B[B')
  program.type('\r')
  expect(await program.ended).toBe(0)
  expect(device.paths()).toEqual(['GET /api-keys?limit=100', `GET /api-keys/${ids[1]}/usage`])
  await device.close()
})
