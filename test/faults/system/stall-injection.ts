import { setTimeout } from 'node:timers/promises'
import { runService } from '../../support/processes.ts'
import { readiness } from '../../support/observe.ts'
import { until } from '../../support/until.ts'
import { stallKinds, type StallKind } from '../schedule/fault-kinds.ts'
import type { FaultStep } from '../schedule/schedule.ts'
import type { FaultScene } from './fault-scene.ts'
import { holdLocks } from './sessions.ts'
import type { TrialSystem } from './trial-system.ts'

/** Longer than the service may take to return. */
const patienceMs = 90_000

/** Causes a stall, ends it, and waits until the service works again, which the history then tells. */
export async function injectStall(
  scene: FaultScene,
  step: FaultStep & { kind: StallKind },
): Promise<void> {
  const { system, recorder } = scene
  const { kind } = step
  const { target } = stallKinds[kind]
  const declared = recorder.invoke('faults', 'fault', { kind, target })
  const cleanUp = await stalls[kind](scene, step)
  const returning = recorder.invoke('faults', 'return', { kind })
  const startedAt = performance.now()
  const since = (): number => Math.round(performance.now() - startedAt)
  const [deliveredMs, readyMs] = await Promise.all([
    untilDelivered(scene).then(since),
    untilReady(system).then(since),
  ]).catch(() => [undefined, undefined])
  if (deliveredMs === undefined || readyMs === undefined) returning.fail()
  else returning.ok({ deliveredMs, readyMs })
  cleanUp?.()
  declared.ok({})
}

async function untilDelivered({ recorder: { entries } }: FaultScene): Promise<void> {
  let read = entries.length
  await until(
    async () => {
      const news = entries.slice(read)
      read = entries.length
      return news.some(({ name, type }) => name === 'deliver' && type === 'invoke')
    },
    Boolean,
    patienceMs,
  )
}

async function untilReady({ apis, workers }: TrialSystem): Promise<void> {
  const isReady = async (slot: TrialSystem['apis'][number]): Promise<boolean> =>
    slot.process !== undefined && (await readiness(slot.process)).status === 200
  await until(
    async () => (await Promise.all([...apis, ...workers].map(isReady))).every(Boolean),
    Boolean,
    patienceMs,
  )
}

/** Returns what is left to do when the service works again. */
type Stall = (scene: FaultScene, step: FaultStep) => Promise<(() => void) | void>

const stalls: Readonly<Record<StallKind, Stall>> = {
  async 'long stop of postgres'(scene, { forMs }) {
    const resume = await scene.system.servers.postgres.freeze()
    await Promise.all([startInVain(scene), setTimeout(forMs)])
    resume()
  },
  'long lock of rows': (scene, { forMs }) =>
    lock(scene, forMs, 'SELECT 1 FROM webhook_endpoints FOR UPDATE'),
  'long lock of tables': (scene, { forMs }) =>
    lock(scene, forMs, 'LOCK TABLE audit_events, pending_deliveries IN ACCESS EXCLUSIVE MODE'),
  /** What CREATE INDEX takes. Nothing can be recorded, while events are accepted and attempts are claimed. */
  'long lock of statistics': (scene, { forMs }) =>
    lock(scene, forMs, 'LOCK TABLE attempt_batches IN SHARE MODE'),
  async 'full small disk'({ system: { disk } }, { forMs }) {
    await disk!.fill()
    await setTimeout(forMs)
    await disk!.free()
  },
  'silent postgres': ({ system }, { forMs }) =>
    silenceAll(
      [...system.apis, ...system.workers].flatMap((slot) => slot.allPostgres),
      forMs,
    ),
  'silent redis': ({ system }, { forMs }) =>
    silenceAll(
      [...system.apis, ...system.workers].map((slot) => slot.redis),
      forMs,
    ),
  'kill pooler': ({ system }, { forMs }) => system.pgbouncer!.killAndRestart(forMs),
  async 'stop pooler'({ system: { pgbouncer } }, { forMs }) {
    pgbouncer!.hang()
    await setTimeout(forMs)
    pgbouncer!.resume()
  },
}

const lock = ({ system }: FaultScene, forMs: number, statement: string): Promise<void> =>
  holdLocks(system.servers.databaseUrl, { statement, forMs })

/** No connection gets an answer, old or new. Those that were silent remain so until the service works again. */
async function silenceAll(
  proxies: readonly TrialSystem['apis'][number]['redis'][],
  forMs: number,
): Promise<() => void> {
  for (const proxy of proxies) proxy.silence({ connections: 'all' })
  await setTimeout(forMs)
  for (const proxy of proxies) proxy.admit()
  return () => proxies.forEach((proxy) => proxy.restore())
}

/** Starts one process of each kind, which does not wait for PostgreSQL. */
async function startInVain({ system, recorder }: FaultScene): Promise<void> {
  const environment = { ...system.environment, START_TIMEOUT_SECONDS: '0' }
  const start = async (process: 'api' | 'worker'): Promise<void> => {
    const call = recorder.invoke('faults', 'start in vain', { process })
    call.ok(await runService(process, environment, system.folder))
  }
  await Promise.all([start('api'), start('worker')])
}
