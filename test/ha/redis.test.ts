import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { startRedisCluster, type ManyRedis } from '../support/redis-cluster.ts'
import type { RedisNode } from '../support/redis-node.ts'
import { startRedisSentinels } from '../support/redis-sentinels.ts'
import { startLoad, type Load } from './support/load.ts'
import { startRevocations, type Revocations } from './support/revocations.ts'
import { serversDirectory, startServers, type FaultServers } from '../faults/system/servers.ts'
import { startSystem, type System } from './support/system.ts'
import { tryFault } from './support/trial.ts'

let servers: FaultServers

beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers?.stop())

/** How a master fails. It comes back after another has replaced it. */
const ends = {
  'is killed': {
    end: (master: RedisNode) => master.kill(),
    repair: (master: RedisNode) => master.restart(),
  },
  hangs: {
    end: async (master: RedisNode) => master.hang(),
    repair: async (master: RedisNode) => master.resume(),
  },
} as const

const places = [
  {
    name: 'a Redis Cluster of six nodes whose masters are replaced one after the other',
    folder: 'cluster',
    start: startRedisCluster,
    goes: ['is killed', 'hangs', 'is killed'],
  },
  {
    name: 'a Redis with Sentinels, which replace the master twice',
    folder: 'sentinels',
    start: startRedisSentinels,
    goes: ['is killed', 'hangs'],
  },
] as const

describe('nothing is lost or sent twice, publishing continues and revocations apply', () => {
  let redis: ManyRedis
  let system: System
  let load: Load
  let revocations: Revocations

  afterEach(async () => {
    load?.abandon()
    await revocations?.stop()
    await system?.stop()
    await redis?.stop()
  })

  test.each(places)('on $name', async ({ name, folder, start, goes }) => {
    redis = await start(`${serversDirectory}/${folder}`)
    const { REDIS_URL = '', ...further } = redis.environment
    system = await startSystem({ DATABASE_URL: servers.databaseUrl, REDIS_URL, ...further })
    load = startLoad(system)
    revocations = startRevocations(system)
    const fault = { name, workersHit: 0, publishersNotice: false }
    await tryFault(fault, {
      system,
      load,
      async inject() {
        const gone: RedisNode[] = []
        for (const how of goes) {
          const masters = await redis.masters()
          // Sequentially, so that each part of a cluster is affected.
          const master = masters.find((node) => !gone.includes(node)) ?? masters[0]!
          gone.push(master)
          await ends[how].end(master)
          await Promise.all([redis.replaced(master), load.accepts(100)])
          gone.push(...(await newMasters(redis, masters)))
          await ends[how].repair(master)
          await redis.whole()
        }
        await revocations.reach(11)
        expect(await revocations.stop()).toEqual([])
      },
    })
  })
})

const newMasters = async (redis: ManyRedis, before: readonly RedisNode[]): Promise<RedisNode[]> =>
  (await redis.masters()).filter((node) => !before.includes(node))
