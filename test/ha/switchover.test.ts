import { afterEach, expect, test } from '@jest/globals'
import { tryFault } from './support/trial.ts'
import { until } from '../support/until.ts'
import {
  measureReturn,
  patienceMs,
  promote,
  recordsLost,
  settle,
  startPairScene,
  untilRefused,
  type PairScene,
} from './support/scene.ts'
import type { PairServer } from './support/server-pair.ts'

let scene: PairScene
afterEach(() => scene?.close())

test('a planned switchover loses nothing, and the former primary follows the new one', async () => {
  scene = await startPairScene()
  const { pair, load, revocations } = scene
  await pair.synchronize(pair.primary)
  await tryFault(
    { name: 'a planned switchover', workersHit: 2, publishersNotice: true },
    {
      ...scene,
      settle: () => settle(scene),
      async inject() {
        await revocations.reach(5)
        // A server that is stopped sends its standby everything first.
        await pair.primary.stop()
        await promote(pair.standby)
        const returned = await measureReturn(scene)
        await pair.primary.follow(pair.standby)
        await pair.primary.start()
        await pair.synchronize(pair.standby)
        await load.accepts(100)
        return returned
      },
    },
  )
})

test('a former primary that comes back without a fence gets no writes, and the service goes on', async () => {
  scene = await startPairScene()
  const { pair, load, system } = scene
  await pair.synchronize(pair.primary)
  const name = 'the former primary comes back and accepts writes'
  await tryFault(
    { name, workersHit: 2, publishersNotice: true, recordsLost },
    {
      ...scene,
      settle: () => settle(scene),
      async inject() {
        await pair.primary.kill()
        await untilRefused(scene)
        await promote(pair.standby)
        await measureReturn(scene)
        await pair.primary.start()
        // It would accept writes at once, and the proxy leads half of the new connections to it.
        await pair.primary.ask("ALTER SYSTEM SET synchronous_standby_names = ''")
        await pair.primary.ask('SELECT pg_reload_conf()')
        const before = await countRows(pair.primary)
        const processes = [...system.apis, ...system.workers]
        const haveRefused = () => processes.filter(({ lines }) => lines.some(isRefusal)).length
        await until(
          async () => {
            await pair.standby.ask(terminateSessions)
            await load.accepts(20)
            return haveRefused()
          },
          Boolean,
          patienceMs,
        )
        await load.accepts(100)
        expect(await countRows(pair.primary)).toEqual(before)
        await pair.primary.stop()
        return { processesThatRefused: haveRefused(), writtenToTheFormer: 0 }
      },
    },
  )
})

const isRefusal = (line: string): boolean => line.includes('an older PostgreSQL server than others')

const terminateSessions = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
  WHERE datname = 'hosting_faults' AND backend_type = 'client backend' AND pid <> pg_backend_pid()`

/** The rows of the tables that publishes, deliveries and changes write to. */
const countRows = (server: PairServer) =>
  server.ask<Record<string, string>>(
    `SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM pending_deliveries) AS queue,
       (SELECT count(*) FROM recorded_attempts) AS attempts, (SELECT count(*) FROM api_keys) AS keys,
       (SELECT count(*) FROM audit_events) AS entries`,
  )
