import { lanes, type Lane } from '@hosting/core'
import type { AttemptConsumer } from '@hosting/redis'

/** The consumers of the lanes. They exist only while the worker may take jobs. */
export interface LaneConsumers {
  isLive(lane: Lane): boolean
  /** Starts or stops the consumers, depending on whether the worker may take jobs. */
  adapt(): void
  /** Waits until the stopped consumers have finished their jobs. */
  stopped(): Promise<void>
}

/** Creates the consumers. {@link LaneConsumers.adapt} starts them. */
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
