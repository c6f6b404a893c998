import type { Load } from './support/load.ts'
import type { ChaosServers } from './support/servers.ts'
import { inProgressMax, type System } from './support/system.ts'

/** The parts of the system that a fault affects. */
export type Scene = System & Pick<ChaosServers, 'postgres' | 'redis' | 'emptyRedis'>

/** A failure while events are published and delivered. */
export interface Fault {
  readonly name: string
  /** The number of processes whose attempts are interrupted. Only these attempts may arrive twice. */
  readonly workersHit: number
  /** Whether publishing continues without errors. */
  readonly publishersNotice: boolean
  /** Causes the failure and ends it. */
  inject(scene: Scene, load: Load): Promise<void>
}

/** The number of events published during a failure: about five seconds. */
const meanwhile = 150

/** The maximum number of repeated requests that a fault allows. */
export const duplicatesMax = ({ workersHit }: Pick<Fault, 'workersHit'>): number =>
  workersHit * inProgressMax

export const faults: readonly Fault[] = [
  {
    name: 'Redis is emptied repeatedly',
    workersHit: 0,
    publishersNotice: false,
    async inject({ emptyRedis }, load) {
      for (let time = 0; time < 5; time++) {
        await load.bursts()
        await emptyRedis()
        await load.accepts(meanwhile / 5)
      }
    },
  },
  {
    name: 'Redis is killed and restarts empty',
    workersHit: 0,
    publishersNotice: false,
    async inject({ redis }, load) {
      await redis.kill()
      await load.accepts(meanwhile)
      await redis.start()
    },
  },
  {
    name: 'Redis hangs',
    workersHit: 0,
    publishersNotice: false,
    async inject({ redis }, load) {
      for (let time = 0; time < 2; time++) {
        redis.hang()
        await load.accepts(meanwhile / 2)
        await redis.start()
        await load.accepts(meanwhile / 2)
      }
    },
  },
  {
    name: 'one of two workers is killed',
    workersHit: 1,
    publishersNotice: false,
    async inject(system, load) {
      await killWorkers(system, 1)
      await load.accepts(meanwhile)
      await system.startWorker()
    },
  },
  {
    name: 'all workers are killed',
    workersHit: 2,
    publishersNotice: false,
    async inject(system, load) {
      await killWorkers(system, 2)
      await load.accepts(meanwhile)
      await Promise.all([system.startWorker(), system.startWorker()])
    },
  },
  {
    name: 'each API is killed during publishes',
    workersHit: 0,
    publishersNotice: true,
    async inject({ apis, startApi }, load) {
      for (let time = 0; time < 4; time++) {
        await load.bursts()
        await apis.shift()!.kill()
        await load.accepts(meanwhile / 4)
        await startApi()
      }
    },
  },
  {
    name: 'PostgreSQL is restarted',
    workersHit: 2,
    publishersNotice: true,
    async inject({ postgres }, load) {
      await load.bursts()
      await postgres.stop()
      await postgres.start()
    },
  },
  {
    name: 'PostgreSQL is killed',
    workersHit: 2,
    publishersNotice: true,
    async inject({ postgres }, load) {
      await load.bursts()
      await postgres.kill()
      await postgres.start()
    },
  },
  {
    name: 'receivers become unavailable, return errors, and recover',
    workersHit: 2,
    publishersNotice: false,
    async inject({ receivers }, load) {
      // Some of every organization.
      const hit = receivers.filter((_, index) => index % 2 === 0)
      await Promise.all(hit.map((receiver) => receiver.goAway()))
      await load.accepts(meanwhile / 2)
      await Promise.all(hit.map((receiver) => receiver.returnErrors()))
      await load.accepts(meanwhile / 2)
      for (const receiver of hit) receiver.recover()
    },
  },
  {
    name: 'Redis is emptied, a worker killed and PostgreSQL restarted, one after the other',
    workersHit: 3,
    publishersNotice: true,
    async inject(system, load) {
      await system.emptyRedis()
      await load.accepts(meanwhile / 3)
      await killWorkers(system, 1)
      await load.accepts(meanwhile / 3)
      await system.postgres.stop()
      await system.postgres.start()
      await load.accepts(meanwhile / 3)
      await system.startWorker()
    },
  },
]

const killWorkers = async ({ workers }: System, count: number): Promise<void> => {
  await Promise.all(workers.splice(0, count).map((worker) => worker.kill()))
}
