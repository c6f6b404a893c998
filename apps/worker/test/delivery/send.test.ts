import { describe, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { deliveryTo, failure, success, useSending } from './sending.ts'

const sending = useSending()

describe('a response', () => {
  test.each([200, 201, 202, 204, 206, 226, 299])('of %i is a success', async (status) => {
    const receiver = await sending.receiver({ respond: () => ({ status }) })
    expect(await sending.sender().send(deliveryTo(receiver.url))).toEqual(success(status))
  })

  test.each([300, 301, 302, 303, 304, 305, 307, 308, 399])(
    'of %i is a redirect, which is not followed',
    async (status) => {
      const target = await sending.receiver()
      const receiver = await sending.receiver({
        respond: () => ({ status, headers: { location: target.url } }),
      })
      const outcome = await sending.sender().send(deliveryTo(receiver.url))
      expect(outcome).toEqual(failure('redirect', status))
      expect(receiver.requests).toHaveLength(1)
      expect(target.connections).toBe(0)
    },
  )

  test.each([400, 401, 403, 404, 408, 410, 413, 422, 425, 429, 499, 500, 502, 503, 504, 599])(
    'of %i is an HTTP error, and the sender does not retry',
    async (status) => {
      const receiver = await sending.receiver({
        respond: () => ({ status, headers: { 'retry-after': '0' }, body: 'no' }),
      })
      const outcome = await sending.sender().send(deliveryTo(receiver.url))
      expect(outcome).toEqual(failure('http_error', status))
      expect(receiver.requests).toHaveLength(1)
    },
  )

  test.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
  ])('after %s is the one that counts', async (_name, interim) => {
    const receiver = await sending.rawReceiver((socket) =>
      socket.once('data', () => {
        socket.end(`${interim}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`)
      }),
    )
    const outcome = await sending.sender().send(deliveryTo(`http://127.0.0.1:${receiver.port}/`))
    expect(outcome).toEqual(success(200))
  })

  test('that switches the protocol is an immediate HTTP error', async () => {
    const receiver = await sending.rawReceiver((socket) =>
      socket.once('data', () => {
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
        )
      }),
    )
    const sender = sending.sender({ timeoutMs: 10_000 })
    const outcome = await sender.send(deliveryTo(`http://127.0.0.1:${receiver.port}/`))
    expect(outcome).toEqual(failure('http_error', 101))
  })

  test('in HTTP/1.0 is accepted', async () => {
    const receiver = await sending.rawReceiver((socket) =>
      socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\nfine')),
    )
    const outcome = await sending.sender().send(deliveryTo(`http://127.0.0.1:${receiver.port}/`))
    expect(outcome).toEqual(success(200))
  })
})

describe('the request', () => {
  test('is one POST of the exact body to the path and query of the URL', async () => {
    const receiver = await sending.receiver()
    const body = '{"primary_domain":"bücher.example","emoji":"\u{1f4e6}"}'
    const url = `${receiver.url}hooks/7?tenant=a&x=%20`
    await sending.sender().send(deliveryTo(url, { body }))
    const { method, path, body: received } = await receiver.next()
    expect({ method, path }).toEqual({ method: 'POST', path: '/hooks/7?tenant=a&x=%20' })
    expect(received).toEqual(Buffer.from(body, 'utf8'))
    expect(receiver.requests).toHaveLength(1)
  })

  test('has the given headers, and otherwise only those that HTTP requires', async () => {
    const receiver = await sending.receiver()
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhooks/1',
      'Service-Event': 'site.created',
      'Service-Delivery': '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
      'Service-Timestamp': '1764000000',
      'Service-Signature': 't=1764000000,v1=aa,v1=bb',
    }
    await sending.sender().send(deliveryTo(receiver.url, { headers }))
    const received = await receiver.next()
    expect(received.headers).toEqual({
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      'accept-encoding': 'identity',
      'content-length': String(received.body.length),
      connection: 'keep-alive',
      host: `127.0.0.1:${receiver.port}`,
    })
    const names = received.rawHeaders.filter((_, index) => index % 2 === 0)
    expect(new Set(names).size).toBe(names.length)
  })

  test('names the host of the URL, not its address', async () => {
    const receiver = await sending.receiver()
    await sending.sender().send(deliveryTo(`http://hooks.example.test:${receiver.port}/`))
    expect((await receiver.next()).headers.host).toBe(`hooks.example.test:${receiver.port}`)
  })

  test('may have an empty or a large body', async () => {
    const receiver = await sending.receiver()
    const sender = sending.sender()
    for (const length of [0, 1, 300_000]) {
      await sender.send(deliveryTo(receiver.url, { body: 'x'.repeat(length) }))
      expect((await receiver.next()).body).toHaveLength(length)
    }
  })

  test('may get its response before its body was read completely', async () => {
    const receiver = await sending.rawReceiver((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n')),
    )
    const url = `http://127.0.0.1:${receiver.port}/`
    const body = 'x'.repeat(8_000_000)
    expect(await sending.sender().send(deliveryTo(url, { body }))).toEqual(success(202))
  })
})

test('a proxy from the environment is not used', async () => {
  const proxy = await sending.receiver()
  const receiver = await sending.receiver()
  const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy']
  // In a separate process, because Node reads the environment of the process, not that of the
  // test.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', sendOnce, sendModule, receiver.url],
    {
      env: {
        NODE_USE_ENV_PROXY: '1',
        ...Object.fromEntries(proxyVariables.map((variable) => [variable, proxy.url])),
      },
    },
  )
  expect(JSON.parse(stdout)).toEqual(success(204))
  expect(receiver.requests).toHaveLength(1)
  expect(proxy.connections).toBe(0)
})

const sendModule = new URL('../../src/delivery/send.ts', import.meta.url).href
const sendOnce = `
const [module, url] = process.argv.slice(1)
const { createSender } = await import(module)
const sender = createSender({ permits: () => true, allowsPrivate: true }, { timeoutMs: 10_000 })
const delivery = { url, headers: {}, body: Buffer.from('{}'), tenantId: 'tenant' }
console.log(JSON.stringify(await sender.send(delivery)))
sender.close()
`

describe('concurrent requests', () => {
  test('get separate outcomes', async () => {
    const receiver = await sending.receiver({
      respond: ({ path }) => ({ status: Number(path.slice(1)) }),
    })
    const sender = sending.sender()
    const statuses = Array.from({ length: 100 }, (_, index) => 200 + index)
    const outcomes = await Promise.all(
      statuses.map((status) => sender.send(deliveryTo(`${receiver.url}${status}`))),
    )
    expect(outcomes).toEqual(statuses.map(success))
  })

  test('are not delayed by one that hangs', async () => {
    const receiver = await sending.receiver({
      respond: ({ path }) => (path === '/hang' ? 'hang' : { status: 204 }),
    })
    const sender = sending.sender({ timeoutMs: 2_000 })
    const hanging = sender.send(deliveryTo(`${receiver.url}hang`))
    await receiver.next()
    expect(await sender.send(deliveryTo(receiver.url))).toEqual(success(204))
    expect(await hanging).toEqual(failure('timeout'))
  })
})

test('closing a sender closes its pooled connections', async () => {
  const receiver = await sending.receiver()
  const sender = sending.sender()
  await sender.send(deliveryTo(receiver.url))
  const closed = once([...receiver.sockets][0]!, 'close')
  sender.close()
  await closed
  expect(receiver.sockets.size).toBe(0)
})
