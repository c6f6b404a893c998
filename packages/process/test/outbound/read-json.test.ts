import { createAddressPolicy, parseNetwork } from '@hosting/core/network'
import { afterAll, afterEach, describe, expect, test } from '@jest/globals'
import { isIP, type Socket } from 'node:net'
import { openBlackHole } from '../../../../test/support/black-hole.ts'
import { headForms } from '../../../../test/support/long-heads.ts'
import { startRawReceiver, type RawReceiver } from '../../../../test/support/receiver.ts'
import { createJsonReader } from '../../src/outbound/read-json.ts'
import { createResolver } from '../../src/outbound/resolver.ts'
import { headBytesMax, informationalResponsesMax } from '../../src/outbound/response-limits.ts'

const policy = createAddressPolicy({ own: [], allowed: [parseNetwork('127.0.0.0/8')] })
const reader = createJsonReader(policy, createResolver())
afterAll(() => reader.close())

const resolving = (addresses: string[]) => () =>
  Promise.resolve(addresses.map((address) => ({ address, family: isIP(address) })))

const bytesMax = 1_024
const earlyHints = 'HTTP/1.1 103 Early Hints\r\n\r\n'
const document = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

let receiver: RawReceiver
afterEach(() => receiver.close())

/** Reads a document from a server that responds as given. */
async function reading(respond: (socket: Socket) => void): Promise<unknown> {
  receiver = await startRawReceiver((socket) => {
    socket.once('data', () => respond(socket))
  })
  const signal = AbortSignal.timeout(10_000)
  const url = `http://127.0.0.1:${receiver.port}/`
  return reader.read(url, { lookupsOf: 'tenant', bytesMax, signal })
}

describe('a read of a JSON document', () => {
  test.each(headForms)(
    'allows 64 KiB of headers in %s, and not a byte more',
    async (_form, headOf) => {
      const field = 'Content-Length: 2'
      expect(await reading((socket) => socket.write(`${headOf(headBytesMax, field)}{}`))).toEqual(
        {},
      )
      await receiver.close()
      const read = reading((socket) => socket.write(`${headOf(headBytesMax + 1, field)}{}`))
      await expect(read).rejects.toThrow('got too long a response')
    },
  )

  test('reaches a slow address of a name whose other address refuses', async () => {
    receiver = await startRawReceiver((socket) => socket.once('data', () => socket.end(document)))
    const line = await openBlackHole({ host: '127.0.0.9', forwardTo: receiver.port })
    const timer = setTimeout(() => line.release(), 600)
    const resolve = resolving(['127.0.0.9', '127.0.0.8'])
    const slow = createJsonReader(policy, { resolve })
    const signal = AbortSignal.timeout(10_000)
    const url = `http://issuer.example.test:${line.port}/`
    expect(await slow.read(url, { lookupsOf: 'tenant', bytesMax, signal })).toEqual({})
    clearTimeout(timer)
    await line.close()
    slow.close()
  })

  test('allows ten informational responses before the document', async () => {
    const read = reading((socket) =>
      socket.write(earlyHints.repeat(informationalResponsesMax) + document),
    )
    expect(await read).toEqual({})
  })

  test('rejects an eleventh informational response, even if the document follows', async () => {
    const read = reading((socket) =>
      socket.write(earlyHints.repeat(informationalResponsesMax + 1) + document),
    )
    await expect(read).rejects.toThrow('got too long a response')
  })

  test('counts informational responses that arrive separately', async () => {
    const read = reading((socket) => {
      const drip = setInterval(() => socket.write(earlyHints), 5)
      socket.once('close', () => clearInterval(drip))
    })
    await expect(read).rejects.toThrow('got too long a response')
  })

  test('rejects a few informational responses with too many bytes', async () => {
    const early = `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(15_000)}\r\n\r\n`
    expect(early.length * 5).toBeGreaterThan(headBytesMax)
    const read = reading((socket) => socket.write(early.repeat(5) + document))
    await expect(read).rejects.toThrow('got too long a response')
  })

  test('rejects chunk extensions without end', async () => {
    const read = reading((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      const drip = setInterval(() => socket.write(`1;${'x'.repeat(1_000)}\r\n \r\n`), 5)
      socket.once('close', () => clearInterval(drip))
    })
    await expect(read).rejects.toThrow('got too long a response')
  })

  test('allows a document of the maximum size, and rejects a larger one', async () => {
    const sized = (bytes: number) => (socket: Socket) =>
      socket.end(`HTTP/1.1 200 OK\r\n\r\n${'{}'.padEnd(bytes)}`)
    expect(await reading(sized(bytesMax))).toEqual({})
    await receiver.close()
    await expect(reading(sized(bytesMax + 1))).rejects.toThrow(`got more than ${bytesMax} bytes`)
  })
})
