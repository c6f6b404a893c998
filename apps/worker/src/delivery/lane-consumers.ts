import { lanes, type Lane } from '@hosting/core/webhooks'
import type { AttemptConsumer } from '@hosting/redis'

/** The consumers of the lanes. They exist only while the worker may take jobs. */
export interface LaneConsumers {
  /** Whether the consumer of a lane takes jobs, and Redis responds to it. */
  isLive(lane: Lane): Promise<boolean>
  /** Whether Redis responds to any of the consumers. */
  responds(): Promise<boolean>
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
    async isLive(lane) {
      const consumer = consumers.get(lane)
      return consumer !== undefined && (await consumer.responds()) && consumer.isLive()
    },
    async responds() {
      const asked = [...consumers.values()].map((consumer) => consumer.responds())
      return (await Promise.all(asked)).includes(true)
    },
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
