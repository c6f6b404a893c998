import { describe, expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { until } from '../../../../test/support/until.ts'
import { addresses, startResolver } from './resolving.ts'

describe('a lookup that is slow', () => {
  const limits = {
    perTenantMax: 1,
    totalMax: 2,
    promptMs: 1,
    slowPerTenantMax: 2,
    slowTotalMax: 3,
  }
  const startSlow = () => {
    const resolver = startResolver({ limits })
    const untilAsked = (count: number) =>
      until(
        () => Promise.resolve(resolver.hosts()),
        (hosts) => hosts.length === count,
      )
    return { ...resolver, untilAsked }
  }

  test('leaves its turn to the next, of the same tenant and of others', async () => {
    const { resolve, lookups, untilAsked, figures } = startSlow()
    const names = ['1.dead.test', '2.dead.test', 'alive.test']
    const results = names.map((name) => resolve(name, 't1'))
    await untilAsked(3)
    void resolve('3.dead.test', 't2')
    void resolve('4.dead.test', 't3')
    void resolve('alive.test', 't4')
    expect(await untilAsked(5)).toEqual([...names, '3.dead.test', '4.dead.test'])
    lookups[2]!.succeed()
    expect(await results[2]).toEqual(addresses)
    for (const { succeed } of lookups) succeed()
    await Promise.all(results)
    await until(
      () => Promise.resolve(figures()),
      ({ running, waiting }) => running === 0 && waiting === 0,
    )
  })

  test('keeps its turn while its tenant or the worker has too many of them', async () => {
    const { resolve, lookups, hosts, untilAsked, turn } = startSlow()
    const results = ['1', '2', '3', '4'].map((name) => resolve(`${name}.dead.test`, 't1'))
    await untilAsked(3)
    await setTimeout(20)
    await turn()
    expect(hosts()).toHaveLength(3)
    lookups[2]!.succeed()
    expect(await results[2]).toEqual(addresses)
    await untilAsked(4)
    for (const { succeed } of lookups) succeed()
    expect(await Promise.all(results)).toHaveLength(4)
  })
})
