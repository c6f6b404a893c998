import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { siteData } from '../../support/events.ts'
import type { PublishedEvent } from '../history/entries.ts'
import type { Recorder } from '../history/recorder.ts'
import type { Random } from '../schedule/random.ts'
import type { ServiceSlot } from '../system/service-slot.ts'
import { publishedTypes, type World } from '../system/world.ts'
import { callPublish, outcomeOf } from './request.ts'

const publisherCount = 3
const pauseMs = 300
const repeatAfterMs = 200
/** A publish without a 202 is repeated with the same event ids this many times; then its outcome stays unknown. */
const repeatsMax = 4
/** One publish in this number is a batch. */
const batchEvery = 4
const batchSize = 5

/** Publishes events until the signal aborts. Resolves when the last publish has ended. */
export async function runPublishers(
  scene: {
    readonly recorder: Recorder
    readonly apis: readonly ServiceSlot[]
    readonly world: World
  },
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const run = async (name: string, own: Random): Promise<void> => {
    for (let turn = 0; !signal.aborted; turn++) {
      const count = turn % batchEvery === 0 ? batchSize : 1
      await publish(scene, name, makeEvents(scene.world, own, count))
      await setTimeout(own.integer(0, 2 * pauseMs))
    }
  }
  await Promise.all(
    Array.from({ length: publisherCount }, (_, index) =>
      run(`publisher ${index + 1}`, random.fork()),
    ),
  )
}

const makeEvents = ({ tenants }: World, random: Random, count: number): PublishedEvent[] =>
  Array.from({ length: count }, () => ({
    id: randomUUID(),
    tenant: random.pick(tenants).id,
    type: random.pick(publishedTypes),
  }))

async function publish(
  { recorder, apis }: Parameters<typeof runPublishers>[0],
  name: string,
  events: PublishedEvent[],
): Promise<void> {
  const items = events.map(({ id, tenant, type }) => ({
    id,
    tenant_id: tenant,
    type,
    data: siteData,
  }))
  const body = items.length === 1 ? items[0] : { events: items }
  for (let repeat = 0; repeat <= repeatsMax; repeat++) {
    const call = recorder.invoke(name, 'publish', { events })
    const reply = await callPublish(apis[repeat % apis.length]!, body)
    const outcome = outcomeOf(reply)
    if (outcome === 'ok') {
      const made = reply!.body.items as { deliveries: number }[]
      call.ok({ deliveries: made.map(({ deliveries }) => deliveries) })
      return
    }
    call[outcome]({ status: reply?.status })
    await setTimeout(repeatAfterMs)
  }
}
