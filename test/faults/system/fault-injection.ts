import { setTimeout } from 'node:timers/promises'
import { clockOffBy } from '../../support/faketime.ts'
import { holdLocks } from './sessions.ts'
import { faultKinds, type ShortKind } from '../schedule/fault-kinds.ts'
import type { FaultStep } from '../schedule/schedule.ts'
import { fillDisk, makeReadOnly, slowCommits, terminateSessions } from './database-faults.ts'
import { failPointsOf } from './fail-points.ts'
import type { FaultScene } from './fault-scene.ts'
import type { Behavior } from './receivers.ts'
import { repeatJobs } from './repeated-jobs.ts'
import type { ServiceSlot } from './service-slot.ts'
import type { TrialSystem } from './trial-system.ts'

/** Causes the fault of a step and ends it. Its span in the history contains every effect of it. */
export async function inject(
  scene: FaultScene,
  step: FaultStep & { kind: ShortKind },
): Promise<void> {
  const { target } = faultKinds[step.kind]
  const { endpoints } = scene.world
  const isOfEndpoint = target === 'receiver'
  const declared = scene.recorder.invoke('faults', 'fault', {
    kind: step.kind,
    target,
    ...(isOfEndpoint && { endpoint: endpoints[step.which % endpoints.length]!.id }),
  })
  try {
    await injections[step.kind](scene, step)
  } finally {
    declared.ok({})
  }
}

type Injection = (scene: FaultScene, step: FaultStep) => Promise<void>

const workerOf = ({ system }: FaultScene, { which }: FaultStep): ServiceSlot =>
  system.workers[which % system.workers.length]!
const apiOf = ({ system }: FaultScene, { which }: FaultStep): ServiceSlot =>
  system.apis[which % system.apis.length]!

const injections: Readonly<Record<ShortKind, Injection>> = {
  'kill worker': (scene, step) => kill(workerOf(scene, step), step),
  'restart worker': (scene, step) => restart(workerOf(scene, step)),
  'stop worker': (scene, step) => halt(workerOf(scene, step), step),
  'wrong clock of a worker': (scene, step) => setWrongClock(workerOf(scene, step), step),
  'fail point of a worker': (scene, step) => armFailPoint(workerOf(scene, step), step),
  'kill api': (scene, step) => kill(apiOf(scene, step), step),
  'restart api': (scene, step) => restart(apiOf(scene, step)),
  'stop api': (scene, step) => halt(apiOf(scene, step), step),
  'fail point of an api': (scene, step) => armFailPoint(apiOf(scene, step), step),
  'kill postgres': ({ system }, step) => killServer(system, 'postgres', step),
  'stop postgres': ({ system: { servers } }, { forMs }) =>
    inTurn('postgres', async () => {
      const resume = await servers.postgres.freeze()
      await setTimeout(forMs)
      resume()
    }),
  'terminate sessions': ({ system }) => terminateSessions(system.servers.databaseUrl),
  'lock attempts': (scene, step) =>
    lockTable(scene, step, 'delivery_attempts, attempt_batches IN SHARE MODE'),
  'lock deliveries': (scene, step) =>
    lockTable(scene, step, 'deliveries, webhook_endpoints IN ACCESS EXCLUSIVE MODE'),
  'lock rows': lockRows,
  'read-only database': ({ system }, { forMs }) => makeReadOnly(system.servers.databaseUrl, forMs),
  'slow commits': ({ system }, { forMs }) =>
    slowCommits(system.servers.databaseUrl, () => setTimeout(forMs)),
  'full disk': ({ system }, { forMs }) =>
    fillDisk(system.servers.databaseUrl, () => setTimeout(forMs)),
  'silent connections to postgres': (scene, step) => silence(slotOf(scene, step), 'postgres', step),
  'reset connections to postgres': async (scene, step) => slotOf(scene, step).postgres.reset(),
  'slow connections to postgres': async (scene, step) => {
    const { postgres } = slotOf(scene, step)
    postgres.delay(100)
    await setTimeout(step.forMs)
    postgres.delay(0)
  },
  'kill redis': ({ system }, step) => killServer(system, 'redis', step),
  'stop redis': ({ system: { servers } }, { forMs }) =>
    inTurn('redis', async () => {
      servers.redis.hang()
      await setTimeout(forMs)
      await servers.redis.start()
    }),
  'flush redis': ({ system }) => inTurn('redis', () => system.servers.emptyRedis()),
  'repeated jobs': ({ system }, { forMs }) => repeatJobs(system, forMs),
  'silent connections to redis': (scene, step) => silence(slotOf(scene, step), 'redis', step),
  'reset connections to redis': async (scene, step) => slotOf(scene, step).redis.reset(),
  'failing receiver': (scene, step) => misbehave(scene, step, 'failing'),
  'hanging receiver': (scene, step) => misbehave(scene, step, 'hanging'),
  'closing receiver': (scene, step) => misbehave(scene, step, 'closing'),
}

const slotOf = ({ system }: FaultScene, { which }: FaultStep): ServiceSlot => {
  const slots = [...system.workers, ...system.apis]
  return slots[which % slots.length]!
}

/** Faults that stop the same process or server follow each other. */
const turns = new Map<string, Promise<unknown>>()

function inTurn(name: string, work: () => Promise<void>): Promise<void> {
  const turn = (turns.get(name) ?? Promise.resolve()).then(work)
  turns.set(
    name,
    turn.catch(() => undefined),
  )
  return turn
}

const kill = (slot: ServiceSlot, { forMs }: FaultStep): Promise<void> =>
  inTurn(slot.name, async () => {
    await slot.kill()
    await setTimeout(forMs)
    await slot.start()
  })

/** Replaces a process as an upgrade does. */
const restart = (slot: ServiceSlot): Promise<void> =>
  inTurn(slot.name, async () => {
    await slot.stop()
    await slot.start()
  })

const halt = (slot: ServiceSlot, { forMs }: FaultStep): Promise<void> =>
  inTurn(slot.name, async () => {
    await slot.process?.whileStopped(() => setTimeout(forMs))
  })

/** Replaces a process by one with other settings for a time. */
async function replaceFor(
  slot: ServiceSlot,
  extra: Readonly<Record<string, string>>,
  over: Promise<unknown>,
): Promise<void> {
  await inTurn(slot.name, async () => {
    await slot.kill()
    await slot.start(extra)
    await Promise.race([over, slot.process?.ended])
    await slot.kill()
    await slot.start()
  })
}

const clockOffsets = ['+1h', '-1h', '+2d', '-2d'] as const

async function setWrongClock(slot: ServiceSlot, { forMs, point }: FaultStep): Promise<void> {
  const offset = clockOffsets[point % clockOffsets.length]!
  await replaceFor(slot, await clockOffBy(offset), setTimeout(forMs))
}

async function armFailPoint(slot: ServiceSlot, { forMs, point, hit }: FaultStep): Promise<void> {
  const names = failPointsOf(slot.kind)
  const name = names[point % names.length]!
  await replaceFor(slot, { FAIL_POINT: `${name}:${hit}` }, setTimeout(forMs))
}

const killServer = (
  { servers }: TrialSystem,
  name: 'postgres' | 'redis',
  { forMs }: FaultStep,
): Promise<void> =>
  inTurn(name, async () => {
    await servers[name].kill()
    await setTimeout(forMs)
    await servers[name].start()
  })

/** A session that another fault ends releases its locks. */
const lockTable = ({ system }: FaultScene, { forMs }: FaultStep, lock: string): Promise<void> =>
  holdLocks(system.servers.databaseUrl, { statement: `LOCK TABLE ${lock}`, forMs }).catch(
    () => undefined,
  )

/** Updates the rows of all attempts in progress, as another process does that takes over their leases. */
async function lockRows({ system }: FaultScene, { forMs }: FaultStep): Promise<void> {
  const until = performance.now() + forMs
  while (performance.now() < until) {
    const statement = `UPDATE pending_deliveries SET tenant_id = tenant_id WHERE delivery_id IN (
      SELECT delivery_id FROM pending_deliveries WHERE lease_id IS NOT NULL FOR UPDATE SKIP LOCKED)`
    await holdLocks(system.servers.databaseUrl, { statement, forMs: 150 }).catch(() => undefined)
    await setTimeout(50)
  }
}

async function silence(
  slot: ServiceSlot,
  server: 'postgres' | 'redis',
  { forMs }: FaultStep,
): Promise<void> {
  slot[server].silence()
  await setTimeout(forMs)
  slot[server].restore()
}

async function misbehave(
  { receivers, world }: FaultScene,
  { which, forMs }: FaultStep,
  behavior: Behavior,
): Promise<void> {
  const index = which % world.endpoints.length
  receivers.behave(index, behavior)
  await setTimeout(forMs)
  receivers.behave(index)
}
