import { afterEach, describe, expect, test } from '@jest/globals'
import { writeFileSync } from 'node:fs'
import {
  startNameServer,
  type DnsResponse,
  type QueryType,
} from '../../../../test/support/name-server.ts'
import { writeTemporary } from '../../../../test/support/temporary-folder.ts'
import {
  ConnectionError,
  createLookup,
  createSystemLookup,
  LookupTimeout,
  type LookupOptions,
} from '@hosting/process'
import { timed } from './sending.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close()
})

const notAsked = () => Promise.reject(new Error('The system was asked.'))

/** Starts a lookup with its own name server. */
async function startLookup(
  respond: (name: string, type: QueryType) => DnsResponse,
  options: LookupOptions = {},
) {
  const server = await startNameServer(respond)
  opened.push(server)
  const lookUp = createLookup({
    nameServers: [server.address],
    systemLookup: notAsked,
    hostsFile: writeTemporary('hosts', ''),
    ...options,
  })
  return { lookUp, server }
}

const v4 = { address: '203.0.113.7', family: 4 }
const v6 = { address: '2001:db8::7', family: 6 }
const bothAddresses = { v4: '203.0.113.7', v6: '2001:db8:0:0:0:0:0:7' }

/** Returns the error of a lookup that must fail. */
const errorOf = async (found: Promise<unknown>): Promise<unknown> =>
  found.then(
    () => expect(true).toBe(false),
    (error: unknown) => error,
  )

describe('the name servers', () => {
  test('return IPv4 and IPv6 addresses', async () => {
    const { lookUp } = await startLookup(() => bothAddresses)
    expect(await lookUp('hooks.example.test')).toEqual([v4, v6])
  })

  test.each([
    ['IPv4', { v4: bothAddresses.v4 }, [v4]],
    ['IPv6', { v6: bothAddresses.v6 }, [v6]],
  ])('return the addresses of a name that only has %s', async (_family, response, addresses) => {
    const { lookUp } = await startLookup(() => response)
    expect(await lookUp('hooks.example.test')).toEqual(addresses)
  })

  test('are queried for every lookup; nothing is cached', async () => {
    const { lookUp, server } = await startLookup(() => bothAddresses)
    for (let count = 0; count < 3; count++) await lookUp('hooks.example.test')
    expect(server.asked).toEqual(Array(6).fill('hooks.example.test'))
  })

  test('that do not respond let the lookup time out', async () => {
    const { lookUp } = await startLookup(() => 'silent', { timeoutMs: 300 })
    const { result, ms } = await timed(() => errorOf(lookUp('dead.example.test')))
    expect(result).toBeInstanceOf(LookupTimeout)
    expect(result).toMatchObject({ errorClass: 'dns_error' })
    expect(ms).toBeGreaterThanOrEqual(295)
  })

  test('that do not respond for IPv6 hold up the IPv4 addresses only for a moment', async () => {
    const { lookUp, server } = await startLookup(
      (_name, type) => (type === 'A' ? bothAddresses : 'silent'),
      { timeoutMs: 60_000 },
    )
    expect(await lookUp('hooks.example.test')).toEqual([v4])
    // One query for IPv4, and fewer for IPv6 than the four after which c-ares gives up.
    expect(server.asked.length).toBeLessThan(5)
  })

  test('are asked again for IPv4 if they only respond for IPv6', async () => {
    let isFirst = true
    const { lookUp } = await startLookup((_name, type) => {
      if (type !== 'A' || !isFirst) return bothAddresses
      isFirst = false
      return 'silent'
    })
    expect(await lookUp('hooks.example.test')).toEqual([v4, v6])
  })

  test('that are unavailable fail the lookup at once', async () => {
    const { lookUp, server } = await startLookup(() => 'unknown', {
      systemLookup: () => Promise.reject(new ConnectionError('dns_error', 'not known')),
    })
    await server.close()
    opened.pop()
    expect(await errorOf(lookUp('hooks.example.test'))).toMatchObject({ errorClass: 'dns_error' })
  })

  test('are not queried for an invalid name', async () => {
    const { lookUp } = await startLookup(() => bothAddresses)
    for (const host of ['a..b', `${'a'.repeat(64)}.test`]) {
      expect(await errorOf(lookUp(host))).toMatchObject({ errorClass: 'dns_error' })
    }
  })
})

describe('the hosts file', () => {
  const text = `
# 203.0.113.1 commented.test
127.0.0.1 localhost
203.0.113.7\tHooks.example.test hooks   # trailing
2001:db8::7 hooks.example.test
nonsense broken.test
`

  test('comes before the name servers, and returns all addresses of a name', async () => {
    const hostsFile = writeTemporary('hosts', text)
    const { lookUp, server } = await startLookup(() => 'silent', { hostsFile })
    for (const host of ['hooks.example.test', 'HOOKS.example.test', 'hooks.example.test.']) {
      expect(await lookUp(host)).toEqual([v4, v6])
    }
    expect(await lookUp('hooks')).toEqual([v4])
    expect(server.asked).toEqual([])
  })

  test.each(['commented.test', 'broken.test', 'example.test'])('does not have %s', async (host) => {
    const hostsFile = writeTemporary('hosts', text)
    const { lookUp, server } = await startLookup(() => ({ v4: '203.0.113.9' }), { hostsFile })
    expect(await lookUp(host)).toEqual([{ address: '203.0.113.9', family: 4 }])
    expect(server.asked).toEqual([host, host])
  })

  test('is read again after it changed', async () => {
    const hostsFile = writeTemporary('hosts', text)
    const { lookUp } = await startLookup(() => 'silent', { hostsFile })
    await lookUp('hooks')
    writeFileSync(hostsFile, '203.0.113.10 hooks\n')
    expect(await lookUp('hooks')).toEqual([{ address: '203.0.113.10', family: 4 }])
  })

  test('is optional', async () => {
    const { lookUp } = await startLookup(() => bothAddresses, { hostsFile: '/nowhere/hosts' })
    expect(await lookUp('hooks.example.test')).toEqual([v4, v6])
  })
})

describe("the system's resolver", () => {
  test('is used for a name that DNS does not know', async () => {
    const { lookUp } = await startLookup(() => 'unknown', {
      systemLookup: (host) => Promise.resolve(host === 'printer.local' ? [v4] : []),
    })
    expect(await lookUp('printer.local')).toEqual([v4])
  })

  test('is not used for a name that DNS resolves or whose lookup timed out', async () => {
    const { lookUp } = await startLookup((name) => (name === 'a.test' ? bothAddresses : 'silent'), {
      timeoutMs: 100,
    })
    expect(await lookUp('a.test')).toEqual([v4, v6])
    expect(await errorOf(lookUp('b.test'))).toBeInstanceOf(LookupTimeout)
  })

  test('that hangs lets the lookup time out, and counts until it returns', async () => {
    const hanging = Promise.withResolvers<(typeof v4)[]>()
    const find = createSystemLookup({
      threadsMax: 2,
      lookUp: (host) => (host === 'alive' ? Promise.resolve([v4]) : hanging.promise),
    })
    const timeouts = await Promise.all(['a', 'b'].map((host) => errorOf(find(host, 50))))
    for (const error of timeouts) expect(error).toBeInstanceOf(LookupTimeout)
    expect(await errorOf(find('alive', 50))).toMatchObject({
      errorClass: 'dns_error',
      message: expect.stringContaining('no thread is free') as unknown,
    })
    hanging.resolve([v4])
    await hanging.promise
    await new Promise(setImmediate)
    expect(await find('alive', 50)).toEqual([v4])
  })

  test('fails with dns_error for an unknown name', async () => {
    const find = createSystemLookup()
    expect(await errorOf(find('name.invalid', 4_000))).toMatchObject({ errorClass: 'dns_error' })
  })
})
