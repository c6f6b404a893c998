import { createBatcher, WaitedTooLong } from '@hosting/core/concurrency'
import { failPoint } from '@hosting/core/fail-points'
import { defaultTimeouts, isDatabaseUnavailable } from '@hosting/postgres/database'
import { publishEvents, type NewEvent, type PublishResult } from '@hosting/postgres/webhooks'
import { inOwnContext } from '@hosting/process'
import type { ProcessCounts } from '@hosting/postgres/operators'
import type { Counter } from 'prom-client'
import type { EventStreamHub } from '../event-streams/event-stream-hub.ts'
import { unavailable } from '@hosting/core/problems'
import { addFirstJobs, type FirstJobServices } from './first-jobs.ts'

/** The result of publishing the events of one request. */
export interface Published {
  /** If not empty, no event of the request was stored. */
  readonly unknownTenantIds: ReadonlySet<string>
  readonly deliveryCounts: PublishResult['deliveryCounts']
}

/**
 * Stores the events of one request, all or none, and starts their delivery.
 *
 * @param gone - if it is aborted before the statement with the events begins, nothing is stored.
 * @throws Problem `service_unavailable` if too many publishes wait, or this one has waited too long.
 */
export type SharedPublish = (events: readonly NewEvent[], gone: AbortSignal) => Promise<Published>

/** The maximum number of events in a shared statement. A larger request has its own statement. */
const sharedMax = 100
/**
 * How long a request waits for the statement before its own, in ms. As long as it would wait for a connection of a
 * pool. While PostgreSQL hangs, each statement takes several times as long and 100 events with it, so requests that
 * waited for their turn would wait for longer than the outage.
 */
const waitMsMax = defaultTimeouts.acquireMs
/** The total size of the events in progress, in characters of their envelopes. Further ones are refused. */
const inProgressMax = 128 * 2 ** 20

/**
 * Requests that arrive while a statement is running share the next one, and one call to Redis for their jobs. An
 * unknown organization or an error in one request never affects the response to another.
 */
export function createSharedPublish(services: PublishServices): SharedPublish {
  const publish = inOwnContext((requests: Requests) => publishEach(services, requests))
  const share = createBatcher(
    (requests: Request[]) => publish(requests.map(({ events }) => events)),
    {
      sizeMax: sharedMax,
      callsMax: 1,
      sizeOf: ({ events }) => events.length,
      waitMsMax,
      goneOf: ({ gone }) => gone,
    },
  )
  let inProgress = 0
  return async (events, gone) => {
    const size = events.reduce((sum, { payload }) => sum + payload.length, 0)
    if (inProgress + size > inProgressMax) throw unavailable()
    inProgress += size
    try {
      const result =
        events.length > sharedMax ? (await publish([events]))[0]! : await share({ events, gone })
      if (result.status === 'rejected') throw result.reason
      return result.value
    } catch (error) {
      throw error instanceof WaitedTooLong || gone.aborted ? unavailable() : error
    } finally {
      inProgress -= size
    }
  }
}

type Requests = readonly (readonly NewEvent[])[]
interface Request {
  readonly events: readonly NewEvent[]
  readonly gone: AbortSignal
}
interface PublishServices extends FirstJobServices {
  readonly listening: EventStreamHub
  readonly metrics: Record<'firstJobs' | 'eventsPublished' | 'deliveriesMade', Counter>
  readonly counts: Pick<ProcessCounts, 'addPublished'>
}

/** If a shared statement fails, each request runs separately, so that only the invalid one fails. */
async function publishEach(
  services: PublishServices,
  requests: Requests,
): Promise<PromiseSettledResult<Published>[]> {
  const results = await Promise.allSettled([publishTogether(services, requests)])
  const [result] = results
  if (result.status === 'fulfilled') {
    return result.value.map((value) => ({ status: 'fulfilled', value }))
  }
  if (requests.length === 1 || isDatabaseUnavailable(result.reason)) {
    return requests.map(() => result)
  }
  return await Promise.allSettled(
    requests.map(async (events) => (await publishTogether(services, [events]))[0]!),
  )
}

async function publishTogether(
  services: PublishServices,
  requests: Requests,
): Promise<Published[]> {
  const { database, jobAdmission } = services
  const events = requests.flatMap((each, request) => each.map((event) => ({ ...event, request })))
  failPoint('publish.before-statement')
  const result = await publishEvents(database, events, jobAdmission.decide())
  failPoint('publish.committed')
  follow(
    services,
    events.filter(({ request }) => !result.unknownTenantIds.has(request)),
    result.deliveries,
  )
  return requests.map((_, request) => ({
    unknownTenantIds: result.unknownTenantIds.get(request) ?? new Set(),
    deliveryCounts: result.deliveryCounts,
  }))
}

/** Runs after the commit. The response does not wait for it. */
function follow(
  services: PublishServices,
  accepted: readonly NewEvent[],
  deliveries: PublishResult['deliveries'],
): void {
  const { listening, metrics, counts } = services
  counts.addPublished(accepted.length)
  listening.announce(accepted)
  metrics.eventsPublished.inc(accepted.length)
  metrics.deliveriesMade.inc(deliveries.length)
  void addFirstJobs(
    services,
    deliveries.filter(({ held }) => held),
  )
}
