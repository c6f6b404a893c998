import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from '@jest/globals'
import { faults, type Scene } from './faults.ts'
import { startLoad, type Load } from './support/load.ts'
import { startServers, type ChaosServers } from './support/servers.ts'
import { startSystem } from './support/system.ts'
import { tryFault } from './support/trial.ts'

let servers: ChaosServers
let scene: Scene
let load: Load

beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers?.stop())
beforeEach(async () => {
  await servers.repair()
  const { databaseUrl, redis } = servers
  const system = await startSystem({ DATABASE_URL: databaseUrl, REDIS_URL: redis.url() })
  scene = { ...servers, ...system }
  load = startLoad(scene)
})
afterEach(async () => {
  load?.abandon()
  await scene?.stop()
})

describe('every accepted event reaches every endpoint, and only interrupted attempts are repeated, when', () => {
  test.each(faults)('$name', async (fault) => {
    await tryFault(fault, { system: scene, load, inject: () => fault.inject(scene, load) })
  })
})
