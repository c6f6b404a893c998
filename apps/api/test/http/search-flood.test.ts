import { expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { connectRaw } from '../../../../test/support/raw-http.ts'

const api = useApi()
const path = '/docs/search?q=webhook'
const parallel = 150

test('searches of the documentation beyond the limit of an address get 429 with Retry-After, and later ones are served', async () => {
  const { socket, responses } = await connectRaw(api.url)
  const search = `GET ${path} HTTP/1.1\r\nHost: ${new URL(api.url).host}\r\n`
  socket.write(`${search}\r\n`.repeat(parallel - 1) + `${search}Connection: close\r\n\r\n`)
  const received = await responses
  expect(received).toHaveLength(parallel)
  expect(new Set(received.map(({ status }) => status))).toEqual(new Set([200, 429]))
  const refused = received.find(({ status }) => status === 429)!
  expect(refused.headers['retry-after']).toBe('1')
  expect(JSON.parse(refused.body)).toMatchObject({
    code: 'rate_limited',
    instance: '/docs/search',
  })
  expect((await fetch(api.url + path)).status).toBe(200)
})
