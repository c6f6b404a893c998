import { afterEach, expect, test } from '@jest/globals'
import { isIP, type Socket } from 'node:net'
import { openBlackHole } from '../../../../test/support/black-hole.ts'
import { headForms } from '../../../../test/support/long-heads.ts'
import { startRawReceiver, startReceiver } from '../../../../test/support/receiver.ts'
import { createFetch } from '../../src/outbound/outbound-fetch.ts'
import { headBytesMax } from '../../src/outbound/response-limits.ts'

const opened: { close(): unknown }[] = []
const closing = <T extends { close(): unknown }>(each: T): T => {
  opened.push(each)
  return each
}
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

const fetchVia = (...addresses: string[]) =>
  createFetch({
    bytesMax: 1_024,
    lookUp: () => Promise.resolve(addresses.map((address) => ({ address, family: isIP(address) }))),
  })
const get = { method: 'GET', headers: {} }

test('a request arrives with its method, headers and body, and its response with status, headers and body', async () => {
  const headers = { 'x-answer': 'yes', 'set-cookie': ['a=1', 'b=2'] }
  const receiver = closing(
    await startReceiver({ respond: () => ({ status: 400, headers, body: '{"error":"no"}' }) }),
  )
  const response = await fetchVia('127.0.0.1')(`http://id.example.test:${receiver.port}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ code: 'a b' }),
  })
  expect(response.status).toBe(400)
  expect(response.headers.get('x-answer')).toBe('yes')
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(await response.json()).toEqual({ error: 'no' })
  const request = await receiver.next()
  expect(request).toMatchObject({ method: 'POST', path: '/token' })
  expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect(request.body.toString()).toBe('code=a+b')
})

test('a redirect is not followed', async () => {
  const headers = { location: '/elsewhere' }
  const receiver = closing(await startReceiver({ respond: () => ({ status: 302, headers }) }))
  const response = await fetchVia('127.0.0.1')(receiver.url, get)
  expect(response.status).toBe(302)
  expect(receiver.requests).toHaveLength(1)
})

test.each([
  ['IPv4', '127.0.0.9', '::1'],
  ['IPv6', '::1', '127.0.0.9'],
])(
  'a provider is reached over slow %s while its other address refuses',
  async (_family, slow, dead) => {
    const receiver = closing(await startReceiver())
    const line = closing(await openBlackHole({ host: slow, forwardTo: receiver.port }))
    const timer = setTimeout(() => line.release(), 600)
    const response = await fetchVia(slow, dead)(`http://id.example.test:${line.port}/`, get)
    expect(response.status).toBe(204)
    clearTimeout(timer)
  },
)

test.each(headForms)(
  '64 KiB of headers in %s are read, and not a byte more',
  async (_form, headOf) => {
    const respond = async (bytes: number) => {
      const receiver = closing(
        await startRawReceiver((socket: Socket) =>
          socket.once('data', () => socket.write(headOf(bytes, 'Content-Length: 0'))),
        ),
      )
      return fetchVia('127.0.0.1')(`http://id.example.test:${receiver.port}/`, get)
    }
    expect((await respond(headBytesMax)).status).toBe(200)
    await expect(respond(headBytesMax + 1)).rejects.toThrow('got too long a response')
  },
)
