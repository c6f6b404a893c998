import { describe, expect, test } from '@jest/globals'
import { ConnectionError, createQuarantine, createResolver, LookupTimeout } from '@hosting/process'
import { addresses, startResolver } from './resolving.ts'

describe('a name', () => {
  test('returns every address', async () => {
    const { resolve, lookups, turn } = startResolver()
    const result = resolve('a.test', 't1')
    await turn()
    lookups[0]!.succeed()
    expect(await result).toEqual(addresses)
  })

  test('is looked up once for all concurrent callers of any tenant', async () => {
    const { resolve, lookups, hosts, turn } = startResolver()
    const results = ['t1', 't1', 't2', 't3'].map((tenant) => resolve('a.test', tenant))
    await turn()
    expect(hosts()).toEqual(['a.test'])
    lookups[0]!.succeed()
    expect(await Promise.all(results)).toEqual(results.map(() => addresses))
  })

  test('is looked up again afterwards: nothing is cached', async () => {
    const { resolve, lookups, hosts, turn } = startResolver()
    const first = resolve('a.test', 't1')
    await turn()
    lookups[0]!.succeed()
    await first
    const second = resolve('a.test', 't1')
    await turn()
    expect(hosts()).toEqual(['a.test', 'a.test'])
    lookups[1]!.succeed()
    expect(await second).toEqual(addresses)
  })

  test('that fails, fails for all concurrent callers, and is looked up again by the next', async () => {
    const { resolve, lookups, turn } = startResolver()
    const results = Promise.allSettled(['t1', 't2'].map((tenant) => resolve('a.test', tenant)))
    const error = new ConnectionError('dns_error', 'no such name')
    await turn()
    lookups[0]!.fail(error)
    expect(await results).toEqual([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ])
    const again = resolve('a.test', 't1')
    await turn()
    lookups[1]!.succeed()
    expect(await again).toEqual(addresses)
  })
})

describe('a tenant', () => {
  const names = ['1.test', '2.test', '3.test', '4.test', '5.test', '6.test']

  test('has at most four running lookups, and the others follow in turn', async () => {
    const { resolve, lookups, hosts, turn } = startResolver()
    const results = names.map((name) => resolve(name, 't1'))
    await turn()
    expect(hosts()).toEqual(names.slice(0, 4))
    lookups[2]!.succeed()
    await results[2]
    await turn()
    expect(hosts()).toEqual(names.slice(0, 5))
    lookups[0]!.fail(new Error('gone'))
    await expect(results[0]).rejects.toThrow('gone')
    await turn()
    expect(hosts()).toEqual(names)
    for (const index of [1, 3, 4, 5]) lookups[index]!.succeed()
    expect(await Promise.all(results.slice(1))).toHaveLength(5)
  })

  test('takes one turn for a name, whatever the number of its deliveries to the name', async () => {
    const { resolve, lookups, hosts, turn } = startResolver()
    const dead = Array.from({ length: 100 }, () => resolve('dead.test', 't1'))
    const others = ['1.test', '2.test', '3.test'].map((name) => resolve(name, 't1'))
    await turn()
    expect(hosts()).toEqual(['dead.test', '1.test', '2.test', '3.test'])
    for (const { succeed } of lookups) succeed()
    expect(await Promise.all([...dead, ...others])).toHaveLength(103)
    await turn()
    expect(lookups).toHaveLength(4)
  })

  test('joins the lookup of another tenant without waiting for a turn of its own', async () => {
    const { resolve, lookups, hosts, turn } = startResolver()
    for (const name of names) void resolve(name, 't1')
    const other = resolve(names[5]!, 't2')
    await turn()
    expect(hosts()).toEqual([...names.slice(0, 4), names[5]])
    lookups[4]!.succeed()
    expect(await other).toEqual(addresses)
  })

  test('whose names hang does not delay other tenants', async () => {
    const { resolve, lookups, turn } = startResolver()
    const hanging = Array.from({ length: 50 }, (_, index) => resolve(`${index}.dead.test`, 't1'))
    await turn()
    expect(lookups).toHaveLength(4)
    const other = resolve('alive.test', 't2')
    await turn()
    lookups.find(({ host }) => host === 'alive.test')!.succeed()
    expect(await other).toEqual(addresses)
    expect(hanging).toHaveLength(50)
  })

  test('can use all of its lookups again after the earlier ones ended', async () => {
    const { resolve, lookups, turn } = startResolver()
    for (let round = 1; round <= 3; round++) {
      const results = names.slice(0, 4).map((name) => resolve(name, 't1'))
      await turn()
      expect(lookups).toHaveLength(4 * round)
      for (const { succeed } of lookups.slice(-4)) succeed()
      await Promise.all(results)
    }
  })

  test('does not get more lookups by failures', async () => {
    const { resolve, lookups, turn } = startResolver()
    const failed = Promise.allSettled(names.map((name) => resolve(name, 't1')))
    await turn()
    for (const index of names.keys()) {
      lookups[index]!.fail(new Error('gone'))
      await turn()
    }
    await failed
    const before = lookups.length
    void Promise.allSettled(names.map((name) => resolve(name, 't1')))
    await turn()
    expect(lookups.length - before).toBe(4)
  })
})

describe("the system's resolver", () => {
  const { resolve } = createResolver()

  test('reads /etc/hosts: localhost is loopback', async () => {
    const found = await resolve('localhost', 't1')
    expect(found.map(({ address }) => address)).toContainEqual(
      expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
    )
  })

  test.each(['name.invalid', 'a..b', `${'a'.repeat(64)}.test`])(
    'fails with dns_error for %j',
    async (name) => {
      const error: unknown = await resolve(name, 't1').catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(ConnectionError)
      expect(error).toMatchObject({ errorClass: 'dns_error' })
    },
  )
})

describe('many tenants', () => {
  const limits = { perTenantMax: 2, totalMax: 3 }

  test('take turns when all lookups are in use', async () => {
    const { resolve, lookups, hosts, turn, figures } = startResolver({ limits })
    for (const name of ['a1', 'a2', 'a3', 'a4']) void resolve(name, 'a')
    for (const name of ['b1', 'b2', 'b3']) void resolve(name, 'b')
    void resolve('c1', 'c')
    await turn()
    expect(hosts()).toEqual(['a1', 'a2', 'b1'])
    expect(figures()).toEqual({ running: 3, waiting: 5, quarantined: 0 })
    // a has two running lookups, so b and c come first, and a only when one of its own has ended.
    for (const [index, next] of ['b2', 'c1', 'a3'].entries()) {
      lookups[[2, 3, 0][index]!]!.succeed()
      await turn()
      expect(hosts().at(-1)).toBe(next)
    }
    while (figures().running > 0) {
      for (const { succeed } of lookups) succeed()
      await turn()
    }
    expect(hosts().toSorted()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1'])
    expect(figures()).toEqual({ running: 0, waiting: 0, quarantined: 0 })
  })
})

describe('a name whose lookup timed out', () => {
  test('fails at once for all tenants while in quarantine, and is then looked up once', async () => {
    let nowMs = 0
    let timeouts = 0
    const quarantine = createQuarantine(() => nowMs)
    const { resolve, lookups, hosts, figures, turn } = startResolver({
      quarantine,
      onTimeout: () => (timeouts += 1),
    })
    const first = resolve('dead.test', 't1')
    await turn()
    lookups[0]!.fail(new LookupTimeout('dead.test'))
    await expect(first).rejects.toThrow('timed out')
    for (const tenant of ['t1', 't2']) {
      await expect(resolve('dead.test', tenant)).rejects.toMatchObject({ errorClass: 'dns_error' })
    }
    expect(hosts()).toEqual(['dead.test'])
    expect({ timeouts, quarantined: figures().quarantined }).toEqual({
      timeouts: 1,
      quarantined: 1,
    })

    nowMs = 5_000
    const probes = ['t1', 't2', 't3'].map((tenant) => resolve('dead.test', tenant))
    await turn()
    expect(hosts()).toEqual(['dead.test', 'dead.test'])
    lookups[1]!.succeed()
    expect(await Promise.all(probes)).toEqual([addresses, addresses, addresses])
    void resolve('dead.test', 't1')
    await turn()
    expect(hosts()).toHaveLength(3)
    expect(figures().quarantined).toBe(0)
  })

  test('is not looked up again for callers that were waiting for their turn', async () => {
    const { resolve, lookups, hosts, turn } = startResolver({
      limits: { perTenantMax: 1, totalMax: 1 },
    })
    const [first, other, second] = ['dead.test', 'a.test', 'dead.test'].map((name, index) =>
      resolve(name, `t${index}`),
    )
    await turn()
    lookups[0]!.fail(new LookupTimeout('dead.test'))
    await expect(first).rejects.toThrow('timed out')
    await turn()
    lookups[1]!.succeed()
    expect(await other).toEqual(addresses)
    await expect(second).rejects.toThrow('timed out a moment ago')
    expect(hosts()).toEqual(['dead.test', 'a.test'])
  })

  test('is in quarantine, but an unknown name is looked up each time', async () => {
    const { resolve, lookups, figures, turn } = startResolver()
    for (let count = 0; count < 3; count++) {
      const result = resolve('unknown.test', 't1')
      await turn()
      lookups[count]!.fail(new ConnectionError('dns_error', 'no such name'))
      await expect(result).rejects.toThrow('no such name')
    }
    expect(figures().quarantined).toBe(0)
  })
})
