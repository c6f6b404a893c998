import { createAddressPolicy, parseNetwork, type AddressPolicy } from '@hosting/core/network'
import { describe, expect, test } from '@jest/globals'
import { once } from 'node:events'
import http, { type RequestOptions } from 'node:http'
import https from 'node:https'
import type { LookupFunction, TcpSocketConnectOpts } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { ConnectionError, createGuardedAgents, type GuardedAgents } from '@hosting/process'
import { resolvingTo, timed, useSending } from './sending.ts'

const sending = useSending()
const loopback = createAddressPolicy({ own: [], allowed: [parseNetwork('127.0.0.0/8')] })
const none = createAddressPolicy({ own: [], allowed: [] })

const guard = (
  policy: AddressPolicy,
  options: Parameters<typeof createGuardedAgents>[1] = { keepAlive: true },
): GuardedAgents => {
  const agents = createGuardedAgents(policy, options)
  sending.closing({ close: () => agents.destroy() })
  return agents
}

const lookupOf =
  (...addresses: string[]): LookupFunction =>
  (host, _options, callback) =>
    void resolvingTo(...addresses)(host, '').then((all) => callback(null, all))

/** Returns the status of the response, or the error of the request. */
async function request(
  url: string,
  {
    lookup = lookupOf('127.0.0.1'),
    ...options
  }: RequestOptions & Pick<TcpSocketConnectOpts, 'autoSelectFamily'> = {},
): Promise<unknown> {
  const client = url.startsWith('https:') ? https : http
  const sent = client.request(url, { lookup, ...options }).end()
  try {
    const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
    await once(response.resume(), 'end')
    return response.statusCode
  } catch (error) {
    return error
  }
}

const notPublic = expect.objectContaining({ errorClass: 'address_not_public' }) as unknown

describe('a permitted address', () => {
  test('is reachable by address and by name', async () => {
    const receiver = await sending.receiver()
    const agent = guard(loopback).http
    expect(await request(receiver.url, { agent })).toBe(204)
    expect(await request(`http://receiver.test:${receiver.port}/`, { agent })).toBe(204)
  })

  test('is reachable by a client that requests a single address', async () => {
    const receiver = await sending.receiver()
    const agent = guard(loopback).http
    const options = { agent, autoSelectFamily: false }
    expect(await request(`http://receiver.test:${receiver.port}/`, options)).toBe(204)
  })
})

describe('a refused address', () => {
  test.each([['http'], ['https']])('in a URL is not connected: %s', async (scheme) => {
    const receiver = await sending.receiver()
    const agents = guard(none)
    const agent = scheme === 'http' ? agents.http : agents.https
    const error = await request(`${scheme}://127.0.0.1:${receiver.port}/`, { agent })
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toEqual(notPublic)
    expect(receiver.connections).toBe(0)
  })

  test('of a name is never connected to, whether one or all addresses are requested', async () => {
    const receiver = await sending.receiver()
    const agent = guard(none).http
    const url = `http://receiver.test:${receiver.port}/`
    expect(await request(url, { agent })).toEqual(notPublic)
    expect(await request(url, { agent, autoSelectFamily: false })).toEqual(notPublic)
    expect(receiver.connections).toBe(0)
  })

  test('refuses the name even if its first address is permitted', async () => {
    const receiver = await sending.receiver()
    const agent = guard(loopback).http
    const url = `http://receiver.test:${receiver.port}/`
    const lookup = lookupOf('127.0.0.1', '10.0.0.1')
    expect(await request(url, { agent, lookup })).toEqual(notPublic)
    expect(await request(url, { agent, lookup, autoSelectFamily: false })).toEqual(notPublic)
    expect(receiver.connections).toBe(0)
  })

  test('does not affect the next request of the agent', async () => {
    const receiver = await sending.receiver()
    const agent = guard(loopback).http
    expect(await request('http://10.0.0.1/', { agent })).toEqual(notPublic)
    expect(await request(receiver.url, { agent })).toBe(204)
  })
})

test('the connected address is checked too, before anything is sent', async () => {
  const receiver = await sending.receiver()
  const checked: string[] = []
  // Permits the address of the lookup, and nothing after that.
  const policy: AddressPolicy = {
    allowsPrivate: true,
    permits: (address) => checked.push(address) === 1,
  }
  const agent = guard(policy).http
  const error = await request(`http://receiver.test:${receiver.port}/`, { agent })
  expect(error).toEqual(notPublic)
  expect(checked).toEqual(['127.0.0.1', '127.0.0.1'])
  expect(receiver.requests).toHaveLength(0)
})

test('an error of the lookup is the error of the request', async () => {
  const lost = new ConnectionError('dns_error', 'no such name')
  const lookup: LookupFunction = (_host, _options, callback) => callback(lost, [])
  const agent = guard(loopback).http
  expect(await request('http://receiver.test/', { agent, lookup })).toBe(lost)
})

describe('connections', () => {
  test('are pooled, and closed when the agents are destroyed', async () => {
    const receiver = await sending.receiver()
    const agents = guard(loopback)
    for (let count = 0; count < 3; count++) await request(receiver.url, { agent: agents.http })
    expect(receiver.connections).toBe(1)
    const closed = once([...receiver.sockets][0]!, 'close')
    agents.destroy()
    await closed
    expect(receiver.sockets.size).toBe(0)
  })

  test('are not pooled without keepAlive', async () => {
    const receiver = await sending.receiver()
    const agent = guard(loopback, { keepAlive: false }).http
    for (let count = 0; count < 3; count++) await request(receiver.url, { agent })
    expect(receiver.connections).toBe(3)
  })

  test('that are unused are closed, even if the receiver would keep them open', async () => {
    const receiver = await sending.receiver()
    const agent = guard(loopback, { keepAlive: true, idleMs: 50 }).http
    await request(receiver.url, { agent })
    const { result, ms } = await timed(() => once([...receiver.sockets][0]!, 'close'))
    expect(result).toEqual([false])
    // The receiver would keep the connection open for five seconds.
    expect(ms).toBeLessThan(4_500)
    expect(await request(receiver.url, { agent })).toBe(204)
    expect(receiver.connections).toBe(2)
  })

  test('in use stay open, however long a response takes', async () => {
    const receiver = await sending.receiver({
      respond: () => setTimeout(200, { status: 204 }),
    })
    const agent = guard(loopback, { keepAlive: true, idleMs: 50 }).http
    expect(await request(receiver.url, { agent })).toBe(204)
  })
})
