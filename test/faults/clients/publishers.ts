import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { siteData } from '../../support/events.ts'
import type { PublishedEvent } from '../history/entries.ts'
import type { Recorder } from '../history/recorder.ts'
import type { Random } from '../schedule/random.ts'
import type { Served } from '../system/service-slot.ts'
import { publishedTypes, type World } from '../system/world.ts'
import { callPublish, outcomeOf } from './request.ts'

/** How much is published. */
export interface Pace {
  readonly publishers: number
  /** The mean time between two publishes of a publisher, in ms. */
  readonly pauseMs: number
  /** The events of a batch. One publish in four is a batch. */
  readonly batchSize: number
  /** A publish without a 202 is repeated with the same event ids this many times; then its outcome stays unknown. */
  readonly repeatsMax: number
  /** Whether publishers wait now, though not for long: they must notice a failure. */
  isHeld?(): boolean
}

/** Together about 20 events per second. */
const usualPace: Pace = { publishers: 3, pauseMs: 300, batchSize: 5, repeatsMax: 4 }
/** A run with stalls takes minutes, in which other tests use the machine. */
export const slowPace: Pace = { ...usualPace, pauseMs: 800 }

const repeatAfterMs = 200
const batchEvery = 4
const heldMsMax = 5_000

/** What publishers need. */
interface Scene {
  readonly recorder: Recorder
  readonly apis: readonly Served[]
  readonly world: World
}

/** When publishers end. */
export interface Ends {
  /** Ends after the publish in progress. */
  readonly stopping: AbortSignal
  /** Ends also the repeats of a publish. */
  readonly abandoning?: AbortSignal
}

/** Publishes events until a signal aborts. Resolves when the last publish has ended. */
export async function runPublishers(
  scene: Scene,
  random: Random,
  { stopping, abandoning }: Ends,
  pace = usualPace,
): Promise<void> {
  const mayRepeat = (repeat: number): boolean =>
    repeat <= pace.repeatsMax && abandoning?.aborted !== true
  const run = async (index: number, own: Random): Promise<void> => {
    const { recorder, world } = scene
    // A process runs one statement that stores events at a time, so only publishes to different processes are concurrent.
    const apis = [...scene.apis.slice(index), ...scene.apis.slice(0, index)]
    for (let turn = 0; !stopping.aborted; turn++) {
      const count = turn % batchEvery === 0 ? pace.batchSize : 1
      const events = makeEvents(world, own, count)
      await publish({ recorder, apis }, `publisher ${index + 1}`, events, mayRepeat)
      const until = performance.now() + heldMsMax
      do await setTimeout(own.integer(0, 2 * pace.pauseMs))
      while (pace.isHeld?.() && !stopping.aborted && performance.now() < until)
    }
  }
  await Promise.all(
    Array.from({ length: pace.publishers }, (_, index) => run(index, random.fork())),
  )
}

const makeEvents = ({ tenants }: World, random: Random, count: number): PublishedEvent[] =>
  Array.from({ length: count }, () => ({
    id: randomUUID(),
    tenant: random.pick(tenants).id,
    type: random.pick(publishedTypes),
  }))

/** The body of a request that publishes events. */
export function bodyOf(events: readonly PublishedEvent[]): object {
  const items = events.map(({ id, tenant, type }) => ({
    id,
    tenant_id: tenant,
    type,
    data: siteData,
  }))
  return items.length === 1 ? items[0]! : { events: items }
}

async function publish(
  { recorder, apis }: Omit<Scene, 'world'>,
  name: string,
  events: PublishedEvent[],
  mayRepeat: (repeat: number) => boolean,
): Promise<void> {
  for (let repeat = 0; mayRepeat(repeat); repeat++) {
    const call = recorder.invoke(name, 'publish', { events })
    const reply = await callPublish(apis[repeat % apis.length]!, bodyOf(events))
    const outcome = outcomeOf(reply)
    if (outcome === 'ok') {
      const made = reply!.body.items as { deliveries: number }[]
      call.ok({ deliveries: made.map(({ deliveries }) => deliveries) })
      return
    }
    call[outcome]({ status: reply?.status, retryAfter: reply?.headers['retry-after'] })
    await setTimeout(repeatAfterMs)
  }
}
