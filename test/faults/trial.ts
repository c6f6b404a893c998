import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { root } from '../../tools/run.ts'
import { checkHistory, type Objection } from './checker/check.ts'
import { createAdministrator } from './clients/administrator.ts'
import { makeKeyCallers } from './clients/key-callers.ts'
import { startLogReaders } from './clients/log-readers.ts'
import { startPlaceReader } from './clients/place-reader.ts'
import { runPublishers, slowPace } from './clients/publishers.ts'
import { runVisitors } from './clients/visitors.ts'
import { startHistory, toLines, type Recorder } from './history/recorder.ts'
import { createRandom } from './schedule/random.ts'
import { isShort, isStall, type FaultStep, type Schedule } from './schedule/schedule.ts'
import { noteChanges, readChanges } from './system/change-notes.ts'
import { inject } from './system/fault-injection.ts'
import type { FaultScene } from './system/fault-scene.ts'
import { readRecords, untilDrained } from './system/read-records.ts'
import { startReceivers } from './system/receivers.ts'
import { watchSessions } from './system/sessions.ts'
import { createSigners } from './system/signers.ts'
import { injectStall } from './system/stall-injection.ts'
import { settings, startTrialSystem, type TrialSystem } from './system/trial-system.ts'
import { makeWorld } from './system/world.ts'

/** The result of a run. */
export interface Trial {
  readonly objections: readonly Objection[]
  readonly operations: number
  readonly deliveries: number
  readonly seconds: number
  /** The file with the history. */
  readonly file: string
}

/** How a schedule is run. */
export interface TrialOptions {
  /** The root of the repository, or of a copy of it, whose processes run. */
  readonly folder: string
  /** See {@link startHistory}. */
  readonly dropsInfo?: boolean | undefined
}

/** Runs a schedule on a system of its own, and checks the history. */
export async function runTrial(
  schedule: Schedule,
  { folder, dropsInfo = false }: TrialOptions,
): Promise<Trial> {
  const startedAt = performance.now()
  const system = await startTrialSystem(folder, schedule)
  const recorder = startHistory({ dropsInfo })
  const signers = createSigners()
  const random = createRandom(schedule.seed + 1)
  const receivers = await startReceivers(recorder, random.fork(), signers)
  const stopWatching = watchStalls(recorder)
  try {
    await runLoad({ schedule, system, recorder, receivers, random })
  } catch (error) {
    for (const { name, lines } of system.apis) {
      process.stderr.write(`${name}: ${lines.slice(-lastLines).join('\n')}\n`)
    }
    throw error
  } finally {
    stopWatching()
    await system.close()
    await receivers.close()
  }
  signers.resolve()
  const file = await save(recorder, schedule.seed)
  const objections = [...checkHistory(recorder.entries)]
  const { entries } = recorder
  return {
    objections,
    operations: entries.filter(({ type, process }) => type === 'invoke' && isClient(process))
      .length,
    deliveries: entries.filter(({ name, type }) => name === 'read delivery' && type === 'ok')
      .length,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
    file,
  }
}

/** The last log lines that are printed if a run breaks off. */
const lastLines = 10

const isClient = (process: string): boolean => /^(publisher|administrator|caller)/.test(process)

interface Run {
  readonly schedule: Schedule
  readonly system: TrialSystem
  readonly recorder: Recorder
  readonly receivers: Awaited<ReturnType<typeof startReceivers>>
  readonly random: ReturnType<typeof createRandom>
}

async function runLoad({ schedule, system, recorder, receivers, random }: Run): Promise<void> {
  const world = await makeWorld(system, receivers)
  await noteChanges(system.database)
  const { apis } = system
  const callers = await makeKeyCallers({ recorder, apis, world }, random.fork(), schedule.ms)
  const timeoutMs = Number(settings.WEBHOOK_TIMEOUT_SECONDS) * 1_000
  recorder
    .invoke('run', 'run', {
      retryDelaysMs: settings.WEBHOOK_RETRY_DELAYS_SECONDS.split(',').map((s) => Number(s) * 1_000),
      timeoutMs,
      leaseMs: timeoutMs + leaseMarginMs,
      endpoints: world.endpoints,
      keys: callers.keys,
    })
    .ok({})
  const administrator = createAdministrator({ recorder, apis, world, receivers })
  const logReaders = startLogReaders({ recorder, apis, world })
  const placeReader = startPlaceReader(
    system.database,
    recorder,
    schedule.isStalled ? slowLookMs : undefined,
  )
  const stopping = new AbortController()
  const load = Promise.all([
    runPublishers(
      { recorder, apis, world },
      random.fork(),
      { stopping: stopping.signal },
      schedule.isStalled ? slowPace : undefined,
    ),
    callers.run(stopping.signal),
    watchSystem({ system, receivers, recorder, world }, schedule, stopping.signal),
  ])
  const beganAt = performance.now()
  const at = async <Step extends { atMs: number }>(
    step: Step,
    run: (step: Step) => Promise<void>,
  ) => {
    await setTimeout(Math.max(0, step.atMs - (performance.now() - beganAt)))
    await run(step)
  }
  await Promise.all([
    setTimeout(schedule.ms),
    ...schedule.operations.map((step) => at(step, administrator.run)),
    injectAll({ system, receivers, recorder, world }, schedule, at),
  ])
  stopping.abort()
  await load
  await administrator.release()
  const isDrained = await untilDrained(system.database)
  if (!isDrained) process.stderr.write('the deliveries did not end in time\n')
  await logReaders.finish()
  await placeReader.finish()
  await readRecords(system, world, recorder)
  await readChanges(system.database, recorder)
  await stopAll(system, recorder)
  recordEnds(system, recorder)
  recordDefects(system, recorder)
}

/** A look at all deliveries costs more the longer a run is, in ms. */
const slowLookMs = 1_000

/** Stalls follow each other; other faults begin at their times, whatever else fails. */
async function injectAll(
  scene: FaultScene,
  { faults }: Schedule,
  at: (step: FaultStep, run: () => Promise<void>) => Promise<void>,
): Promise<void> {
  for (const step of faults.filter(isStall)) await injectStall(scene, step)
  await Promise.all(faults.filter(isShort).map((step) => at(step, () => inject(scene, step))))
}

/** In runs with stalls, nothing else may leave sessions behind or keep a process from answering. */
async function watchSystem(
  scene: FaultScene,
  { isStalled }: Schedule,
  signal: AbortSignal,
): Promise<void> {
  if (!isStalled) return
  const { servers, sessionsMax } = scene.system
  await Promise.all([
    watchSessions({ databaseUrl: servers.databaseUrl, most: sessionsMax }, scene.recorder, signal),
    runVisitors(scene, signal),
  ])
}

/** Stops every process as an operator does. */
async function stopAll({ apis, workers }: TrialSystem, recorder: Recorder): Promise<void> {
  const stop = async ({ name, stop: end }: TrialSystem['apis'][number]): Promise<void> => {
    const code = await end().catch(String)
    if (code !== 0) {
      recorder.invoke('reader', 'exit', { report: `${name} stopped with ${code}` }).ok({})
    }
  }
  await Promise.all([...apis, ...workers].map(stop))
}

/** How much longer a lease lasts than the longest attempt (packages/core/src/webhooks/attempt.ts), in ms. */
const leaseMarginMs = 5_000

/** Records the processes that ended without being told to. */
function recordEnds({ ends }: TrialSystem, recorder: Recorder): void {
  for (const report of ends) recorder.invoke('reader', 'exit', { report }).ok({})
}

/** What processes log only because of a defect. */
export const defectMessage = /because of a defect|is broken|unhandled error/

function recordDefects({ apis, workers }: TrialSystem, recorder: Recorder): void {
  for (const { name, lines } of [...apis, ...workers]) {
    for (const line of lines.filter((each) => defectMessage.test(each))) {
      recorder.invoke('reader', 'log', { report: `${name}: ${line.slice(0, lineMax)}` }).ok({})
    }
  }
}

const lineMax = 2_000
const watchEveryMs = 100
const lateMs = 50
const loadEveryMs = 1_000

/** Records the times at which this machine was late, and its load. */
function watchStalls(recorder: Recorder): () => void {
  let expectedAt = performance.now() + watchEveryMs
  const timer = setInterval(() => {
    const ms = performance.now() - expectedAt
    expectedAt = performance.now() + watchEveryMs
    if (ms > lateMs) recorder.invoke('machine', 'stall', { ms: Math.round(ms) }).ok({})
  }, watchEveryMs)
  const loadTimer = setInterval(() => {
    const perCore = loadavg()[0]! / availableParallelism()
    recorder.invoke('machine', 'load', { perCore: Math.round(perCore * 10) / 10 }).ok({})
  }, loadEveryMs)
  return () => {
    clearInterval(timer)
    clearInterval(loadTimer)
  }
}

async function save({ entries }: Recorder, seed: number): Promise<string> {
  const folder = `${root}.cache/faults`
  await mkdir(folder, { recursive: true })
  const file = `${folder}/${seed}-${Date.now()}.jsonl`
  await writeFile(file, toLines(entries))
  return file
}
