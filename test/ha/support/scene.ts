import { expect } from '@jest/globals'
import { defectMessage } from '../../faults/trial.ts'
import { startLogReaders } from '../../faults/clients/log-readers.ts'
import { toCalls } from '../../faults/history/calls.ts'
import { startLoad, type Load } from './load.ts'
import { makeRedis } from '../../faults/system/killable-server.ts'
import { startRevocations, type Revocations } from './revocations.ts'
import { databaseName } from '../../faults/system/servers.ts'
import { startSystem, type System } from './system.ts'
import { tryFault } from './trial.ts'
import { until } from '../../support/until.ts'
import { root } from '../../../tools/run.ts'
import { startServerPair, type PairServer, type ServerPair } from './server-pair.ts'
import { templateFolder } from './template.ts'

/** Everything that runs while a server fails. */
export interface Scene {
  readonly system: System
  readonly load: Load
  readonly revocations: Revocations
  /** Waits until a reader of each event log has reached its end. Returns how many events were skipped and repeated. */
  finishReading(): Promise<{ readonly skipped: number; readonly readTwice: number }>
  close(): Promise<void>
}

/** A scene whose database is a pair of servers. */
export interface PairScene extends Scene {
  readonly pair: ServerPair
}

const directory = `${root}.cache/ha-stack-${process.env['JEST_WORKER_ID']}`
/** Together with the batches, about 100 events per second. */
const pauseMs = 250
/** Far more than a failover leaves undelivered or loses. */
const backlogMax = 1_000
/** For servers and processes on a busy machine. */
export const patienceMs = 60_000

/** Starts a pair of servers with the data of the template. */
export const startPair = (): Promise<ServerPair> =>
  startServerPair(`${directory}/pair`, templateFolder, databaseName)

/** Starts a scene on a pair of servers. */
export async function startPairScene(): Promise<PairScene> {
  const pair = await startPair()
  const scene = await startScene(pair.databaseUrl)
  return {
    ...scene,
    pair,
    async close() {
      await scene.close()
      await pair.stop()
    },
  }
}

/**
 * Starts two processes of each kind, publishers, receivers, readers of the event logs, and revocations.
 *
 * @param databaseUrl - a migrated database.
 */
export async function startScene(databaseUrl: string): Promise<Scene> {
  const redis = await makeRedis(directory)
  const servers = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url() }
  const system = await startSystem(servers, { fails: true })
  const load = startLoad(system, { pauseMs, backlogMax })
  const revocations = startRevocations(system, { isDatabaseAway: true })
  const readers = followLogs(system)
  // Its organization and key are made before any server fails.
  await revocations.reach(1)
  return {
    system,
    load,
    revocations,
    async finishReading() {
      await readers.finish()
      return countReads(system)
    },
    async close() {
      load.abandon()
      revocations.abandon()
      readers.abandon()
      await system.stop()
      await redis.stop()
    },
  }
}

const followLogs = ({ recorder, apis, world }: System) =>
  startLogReaders({ recorder, apis: apis.map((process) => ({ process })), world })

function countReads({ recorder, tally }: System) {
  const pages = toCalls(recorder.entries).of('read log')
  const read = pages.flatMap(({ result }) => result?.events ?? [])
  const seen = new Set(read)
  return {
    skipped: tally().accepted.filter(({ id }) => !seen.has(id)).length,
    readTwice: read.length - seen.size,
  }
}

/** Promotes a standby, as whatever watches the servers does when the primary is gone. */
export async function promote(server: PairServer): Promise<void> {
  expect(await server.ask('SELECT pg_promote(true, 60) AS promoted')).toEqual({ promoted: true })
}

/** Waits until publishers have noticed that the database is away. */
export async function untilRefused({ load }: Scene): Promise<void> {
  const before = load.figures.notAccepted
  await until(
    async () => load.figures.notAccepted,
    (count) => count > before,
    patienceMs,
  )
}

/** The most time, in ms, from a promotion until deliveries go on. */
const deliveredMsMax = 30_000

/**
 * Measures, in ms from now, when an event is accepted, and when an event that was accepted since is delivered, which must
 * be within a time.
 */
export async function measureReturn({ load, system: { tally } }: Scene, withinMs = deliveredMsMax) {
  const startedAt = performance.now()
  const since = (): number => Math.round(performance.now() - startedAt)
  const before = tally().accepted.length
  await load.accepts(1)
  const acceptedMs = since()
  await until(
    async () =>
      tally()
        .accepted.slice(before)
        .some(({ id }) => tally().acknowledged.has(id)),
    Boolean,
    patienceMs,
  )
  const deliveredMs = since()
  expect(deliveredMs).toBeLessThanOrEqual(withinMs)
  return { acceptedMs, deliveredMs }
}

const findDefects = ({ apis, workers }: System): string[] =>
  [...apis, ...workers].flatMap(({ lines }) => lines.filter((line) => defectMessage.test(line)))

/** What holds in every case: no process logs a defect, no event of the log is skipped, and no revoked key is accepted. */
export async function settle({ system, revocations, finishReading }: Scene) {
  await revocations.stop()
  const letIn = await revocations.check()
  const { skipped, readTwice } = await finishReading()
  expect(findDefects(system)).toEqual([])
  expect(letIn).toEqual([])
  expect(skipped).toBe(0)
  return { revoked: revocations.count(), letIn: letIn.length, skipped, readTwice }
}

/** PostgreSQL may lose the records of the last second, whose attempts are made once more. */
export const recordsLost = 400

/** How the primary is replaced, while events are published and keys revoked. */
export interface Replacement {
  /** Makes another server the primary. */
  replace(): Promise<void>
  /** Waits until the servers are whole again. */
  restore(): Promise<void>
  /** See {@link measureReturn}. */
  readonly withinMs?: number
}

/** Replaces the primary several times. Nothing is lost, and no revoked key is accepted. */
export async function tryReplacements(
  name: string,
  scene: Scene,
  replacements: Readonly<Record<string, Replacement>>,
): Promise<void> {
  const { load, revocations } = scene
  const all = Object.entries(replacements)
  const fault = {
    name,
    workersHit: 2 * all.length,
    publishersNotice: true,
    recordsLost: all.length * recordsLost,
  }
  await tryFault(fault, {
    ...scene,
    settle: () => settle(scene),
    async inject() {
      const returned: Record<string, object> = {}
      await revocations.reach(2)
      for (const [how, { replace, restore, withinMs }] of all) {
        await load.accepts(60)
        await replace()
        returned[how] = await measureReturn(scene, withinMs)
        await restore()
      }
      await revocations.reach(revocations.count() + 2)
      return returned
    },
  })
}
