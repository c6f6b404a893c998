import { lanes, type Lane } from '@hosting/core'
import type { AttemptConsumer } from '@hosting/redis'

/** The consumers of the lanes. They exist only while jobs may be taken. */
export interface LaneConsumers {
  isLive(lane: Lane): boolean
  /** Starts or stops them, as may be. */
  adapt(): void
  /** Waits until those that were stopped have finished what they had in hand. */
  stopped(): Promise<void>
}

/** Makes the consumers, which {@link LaneConsumers.adapt} starts. */
export function createLaneConsumers(
  consume: (lane: Lane) => AttemptConsumer,
  mayConsume: () => boolean,
): LaneConsumers {
  let consumers: ReadonlyMap<Lane, AttemptConsumer> = new Map()
  const stopping: Promise<void>[] = []
  return {
    isLive: (lane) => consumers.get(lane)?.isLive() ?? false,
    adapt() {
      if (!mayConsume()) {
        for (const consumer of consumers.values()) stopping.push(consumer.close())
        consumers = new Map()
      } else if (consumers.size === 0) {
        consumers = new Map(lanes.map((lane) => [lane, consume(lane)]))
      }
    },
    async stopped() {
      await Promise.all(stopping)
    },
  }
}
