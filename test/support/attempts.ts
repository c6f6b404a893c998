import {
  takeAttempt,
  type ClaimedAttempt,
  type DueAttempt,
  type TakenAttempt,
} from '@hosting/core/webhooks'
import { randomUUID } from 'node:crypto'

/** An attempt that needs a job, of a delivery of its own unless one is named. */
export const buildDue = (members: Partial<DueAttempt> = {}): DueAttempt => ({
  state: 'due',
  deliveryId: randomUUID(),
  endpointId: randomUUID(),
  tenantId: randomUUID(),
  number: 1,
  lane: 'normal',
  delayMs: 0,
  ...members,
})

/** An attempt whose job a worker has taken. */
export const buildTaken = (members: Partial<TakenAttempt> = {}): TakenAttempt => ({
  ...takeAttempt(buildDue()),
  ...members,
})

/** An attempt that a worker has the lease of. */
export const buildClaimed = (members: Partial<ClaimedAttempt> = {}): ClaimedAttempt => ({
  ...buildTaken(),
  state: 'claimed',
  leaseEndsMs: performance.now() + 60_000,
  url: 'https://hooks.example.com/',
  secretIds: [randomUUID()],
  headersId: null,
  standardWebhooks: false,
  eventId: randomUUID(),
  eventType: 'site.created',
  payload: '{}',
  traceParent: null,
  startBy: null,
  ...members,
})
