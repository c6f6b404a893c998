import type { EventSubject } from '@hosting/core/webhooks'

/** An event to accept, with its final envelope. */
export interface NewEvent {
  /** Our own id, a UUIDv7. It determines the partition. */
  readonly id: string
  /** The public id: our own id, or the id that the publisher gave. */
  readonly eventId: string
  /** Whether the publisher gave the id. A second event with that id is then the same event. */
  readonly idGiven: boolean
  readonly tenantId: string
  readonly type: string
  /** The patterns that match the event type. */
  readonly patterns: readonly string[]
  readonly createdAt: Date
  readonly payload: string
  /** What the event is about. */
  readonly subject: EventSubject
  /** The trace that its attempts continue. */
  readonly traceParent?: string | null
  /** Distinguishes requests that share a statement. 0 by default. */
  readonly request?: number
}

/**
 * Which deliveries are held for jobs of the caller: those of open endpoints in the normal lane, with
 * these exceptions.
 */
export interface FirstJobs {
  /** How long they are held for their jobs, in ms. */
  readonly holdMs: number
  /** The most deliveries of one tenant. */
  readonly perTenantMax: number
  readonly exceptTenantIds: readonly string[]
  readonly exceptEndpointIds: readonly string[]
}

/** A delivery created by a publish. */
export interface NewDelivery {
  readonly deliveryId: string
  readonly tenantId: string
  readonly endpointId: string
  /** Whether it is held for a job that the caller adds. Otherwise the relay takes it. */
  readonly held: boolean
}

/**
 * The result of a publish: the deliveries created, the number of deliveries of each event, and unknown
 * tenants.
 */
export interface PublishResult {
  readonly deliveries: NewDelivery[]
  /** The number of deliveries by {@link countKey}, including events accepted earlier. */
  readonly deliveryCounts: ReadonlyMap<string, number>
  /** Tenant ids that do not exist, by request. Nothing of such a request was stored. */
  readonly unknownTenantIds: ReadonlyMap<number, ReadonlySet<string>>
}

/** The key of {@link PublishResult.deliveryCounts}. */
export const countKey = (tenantId: string, eventId: string): string => `${tenantId}/${eventId}`
