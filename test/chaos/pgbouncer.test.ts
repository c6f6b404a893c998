import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { startPgbouncer, type Pgbouncer } from '../support/pgbouncer.ts'
import { startLoad, type Load } from '../faults/load/load.ts'
import { startRevocations, type Revocations } from '../faults/load/revocations.ts'
import { startServers, type FaultServers } from '../faults/system/servers.ts'
import { startSystem, workerConcurrency, type System } from '../faults/load/system.ts'
import { tryFault } from '../faults/load/trial.ts'

let servers: FaultServers
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
