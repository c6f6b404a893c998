import type { Config } from 'jest'
import { root } from '../../tools/run.ts'
import setUpShared from '../support/global-setup.ts'
import { startPgbouncer, type Pgbouncer } from '../support/pgbouncer.ts'
import { startRedisCluster, type ManyRedis } from '../support/redis-cluster.ts'
import { setManyMachines } from '../support/topology.ts'

declare global {
  // eslint-disable-next-line no-var -- a global of the test run, read by the teardown
  var manyMachines: { redis: ManyRedis; pgbouncer: Pgbouncer } | undefined
}

/** Starts the servers that all tests use, and the additional ones of many machines. */
export default async function setUp(config: Config & { maxWorkers: number }): Promise<void> {
  await setUpShared(config)
  // Not the template: a database cannot be cloned while it has other connections.
  const [databaseUrl] = globalThis.testServers!.databaseUrls as [string]
  // No master may be replaced because the machine is busy: no test of this run expects a failover.
  const redis = await startRedisCluster(`${root}.cache/many-stack`, { nodeTimeoutMs: 15_000 })
  const pgbouncer = await startPgbouncer(databaseUrl)
  globalThis.manyMachines = { redis, pgbouncer }
  setManyMachines({ redis: redis.environment, pgbouncerUrl: pgbouncer.url(databaseUrl) })
}
