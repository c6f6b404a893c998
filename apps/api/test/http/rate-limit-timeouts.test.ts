import { expect, test, afterAll } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { testEnvironment } from '../../../../test/support/environment.ts'
import { startTcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { makeKeyWith } from '../support/keys.ts'

const proxy = await startTcpProxy(() => testEnvironment()['REDIS_URL']!)
const api = useApi({ REDIS_URL: proxy.url })
afterAll(() => proxy.close())

test('a key keeps its counted budget while Redis does not respond', async () => {
  const { admin } = await api.makeAdmin()
  const { token } = await makeKeyWith(api, admin.token, { rate_limit_per_minute: 3 })
  const use = async () => (await api.call('get', '/auth/me', { token })).status
  expect([await use(), await use()]).toEqual([200, 200])
  proxy.silence({ connections: 'all' })
  expect([await use(), await use(), await use()]).toEqual([200, 429, 429])
  proxy.restore()
})
