import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { root } from '../../tools/run.ts'
import { startRedisCluster, type ManyRedis } from '../support/redis-cluster.ts'
import type { RedisNode } from '../support/redis-node.ts'
import { startRedisSentinels } from '../support/redis-sentinels.ts'
import { startLoad, type Load } from './support/load.ts'
import { startRevocations, type Revocations } from './support/revocations.ts'
import { startServers, type ChaosServers } from './support/servers.ts'
import { startSystem, type System } from './support/system.ts'
import { tryFault } from './support/trial.ts'

let servers: ChaosServers

beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers?.stop())

const places = [
  { name: 'a Redis Cluster of six nodes', folder: 'cluster', start: startRedisCluster },
  { name: 'a Redis watched by Sentinels', folder: 'sentinels', start: startRedisSentinels },
]

/** How a master goes; it comes back when another has taken its place. */
const ends = [
  {
    name: 'is killed, and comes back as a replica',
    end: (master: RedisNode) => master.kill(),
    mend: (master: RedisNode) => master.restart(),
  },
  {
    name: 'hangs until it is replaced, and wakes up again',
    end: async (master: RedisNode) => master.hang(),
    mend: async (master: RedisNode) => master.resume(),
  },
]

describe.each(places)('on $name', ({ name: place, folder, start }) => {
  let redis: ManyRedis
  let system: System
  let load: Load
  let revocations: Revocations

  beforeAll(async () => {
    redis = await start(`${root}.cache/chaos-stack/${folder}`)
  })
  afterAll(() => redis?.stop())
  beforeEach(async () => {
    const { REDIS_URL = '', ...further } = redis.environment
    system = await startSystem({ DATABASE_URL: servers.databaseUrl, REDIS_URL, ...further })
    load = startLoad(system)
    revocations = startRevocations(system)
  })
  afterEach(async () => {
    load?.abandon()
    await revocations?.stop()
    await system?.stop()
  })

  test.each(ends)(
    'nothing is lost, publishing goes on and revocations hold while each master $name',
    async ({ name, end, mend }) => {
      const fault = {
        name: `${place}: each master ${name}`,
        workersHit: 0,
        publishersNotice: false,
      }
      await tryFault(fault, {
        system,
        load,
        async inject() {
          for (const master of await redis.masters()) {
            await end(master)
            await Promise.all([redis.replaced(master), load.accepts(100)])
            await mend(master)
            await redis.whole()
          }
          const { revoked, letIn } = await revocations.stop()
          expect(letIn).toEqual([])
          expect(revoked).toBeGreaterThan(10)
        },
      })
    },
  )
})
