import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { startPgbouncer, type Pgbouncer } from '../support/pgbouncer.ts'
import { startLoad, type Load } from './support/load.ts'
import { startRevocations, type Revocations } from './support/revocations.ts'
import { startServers, type ChaosServers } from './support/servers.ts'
import { startSystem, workerConcurrency, type System } from './support/system.ts'
import { tryFault } from './support/trial.ts'

let servers: ChaosServers
let pgbouncer: Pgbouncer
let system: System
let load: Load
let revocations: Revocations

beforeAll(async () => {
  servers = await startServers()
  await servers.repair()
  const { databaseUrl, postgres, redis } = servers
  pgbouncer = await startPgbouncer(postgres.url())
  system = await startSystem({
    DATABASE_URL: pgbouncer.url(databaseUrl),
    DATABASE_DIRECT_URL: databaseUrl,
    REDIS_URL: redis.url(),
  })
  load = startLoad(system)
})
afterEach(async () => {
  load?.abandon()
  await revocations?.stop()
  await system?.stop()
})
afterAll(async () => {
  await pgbouncer?.stop()
  await servers?.stop()
})

test('behind PgBouncer in transaction mode nothing is lost and revocations apply, also if PgBouncer is killed', async () => {
  const fault = {
    name: 'PgBouncer is killed and restarted',
    workersHit: 2,
    publishersNotice: true,
  }
  revocations = startRevocations(system)
  await tryFault(fault, {
    system,
    load,
    async inject() {
      await revocations.reach(4)
      expect(await revocations.stop()).toEqual([])
      await load.bursts()
      await pgbouncer.killAndRestart()
      await load.accepts(workerConcurrency)
    },
  })
})
