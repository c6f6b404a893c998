import { lanes, type Lane, type TakenAttempt } from '@hosting/core/webhooks'
import { consumeAttempts, redisTopologyOf, type AttemptConsumer } from '@hosting/redis'
import type { Services } from '../services.ts'

/** The consumers of the lanes. They exist only while the worker may take jobs. */
export interface LaneConsumers {
  /** Whether the consumer of a lane takes jobs, and Redis responds to it. */
  isLive(lane: Lane): Promise<boolean>
  /** Whether Redis responds to any of the consumers. */
  responds(): Promise<boolean>
  /** Starts or stops the consumers, depending on whether the worker may take jobs. */
  startOrStop(): void
  /** Waits until the stopped consumers have finished their jobs. */
  stopped(): Promise<void>
}

type Run = (taken: TakenAttempt) => Promise<void>

interface LaneConsumerOptions {
  readonly mayConsume: () => boolean
  /** What makes the attempts of a lane. */
  readonly runs: Readonly<Record<Lane, Run>>
}

/** Creates the consumers. {@link LaneConsumers.startOrStop} starts them. */
export function createLaneConsumers(
  services: Services,
  { mayConsume, runs }: LaneConsumerOptions,
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
    startOrStop() {
      if (!mayConsume()) {
        for (const consumer of consumers.values()) stopping.push(consumer.close())
        consumers = new Map()
      } else if (consumers.size === 0) {
        consumers = new Map(lanes.map((lane) => [lane, consume(services, lane, runs[lane])]))
      }
    },
    async stopped() {
      await Promise.all(stopping)
    },
  }
}

function consume(services: Services, lane: Lane, run: Run): AttemptConsumer {
  const { config, log } = services
  return consumeAttempts(redisTopologyOf(config), withMetrics(services, lane, run), {
    lane,
    concurrency: config.workerConcurrency,
    onError: (error) => log.warn({ err: error, lane }, 'the consumer reported an error'),
  })
}

const withMetrics =
  ({ metrics, watch }: Services, lane: Lane, run: Run) =>
  async (taken: TakenAttempt, shard: number): Promise<void> => {
    watch.noteTaken(lane, shard)
    metrics.attemptsInProgress.inc({ lane })
    try {
      await run(taken)
    } finally {
      metrics.attemptsInProgress.dec({ lane })
    }
  }
