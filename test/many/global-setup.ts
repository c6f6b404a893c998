import type { Config } from 'jest'
import { root } from '../../tools/run.ts'
import setUpShared from '../support/global-setup.ts'
import { startPgbouncer, type Pgbouncer } from '../support/pgbouncer.ts'
import { startRedisCluster, type ManyRedis } from '../support/redis-cluster.ts'
import { setManyMachines } from '../support/topology.ts'

declare global {
  // eslint-disable-next-line no-var -- a global of the run, read by the teardown
  var manyMachines: { redis: ManyRedis; pgbouncer: Pgbouncer } | undefined
}

/** Starts the servers that every test uses, and those of many machines before and beside them. */
export default async function setUp(config: Config & { maxWorkers: number }): Promise<void> {
  await setUpShared(config)
  // Not the template: whoever clones it must be alone with it.
  const [databaseUrl] = globalThis.testServers!.databaseUrls as [string]
  // None of these tests has a master replaced, so none may be by chance, because the machine was busy.
  const redis = await startRedisCluster(`${root}.cache/many-stack`, { nodeTimeoutMs: 15_000 })
  const pgbouncer = await startPgbouncer(databaseUrl)
  globalThis.manyMachines = { redis, pgbouncer }
  setManyMachines({ redis: redis.environment, pgbouncerUrl: pgbouncer.url(databaseUrl) })
}
