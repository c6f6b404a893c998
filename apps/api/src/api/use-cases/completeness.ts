import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { notFound, Problem } from '@hosting/core/problems'
import { recordsKeptDays } from '@hosting/core/webhooks'
import {
  countCompleteness,
  findEndpoint,
  type EndpointCompleteness,
} from '@hosting/postgres/webhooks'
import type { Caller } from '../access/caller.ts'
import type { Needs } from '../services.ts'
import { readSpan } from './recoveries.ts'

/** How long counting may take, in ms. PostgreSQL ends it then. */
const countMsMax = 8_000

/** Which events are counted: those of an endpoint since a time. */
export interface CompletenessRequest {
  readonly id: string
  /** Default: since the endpoint was created, at most 30 days ago. */
  readonly since?: string | undefined
}

/** Counts the events of an endpoint. @throws Problem, `service_unavailable` if there are too many to count in time. */
export async function readCompleteness(
  services: Needs<'database'>,
  caller: Caller,
  request: CompletenessRequest,
): Promise<Completeness> {
  const counted = await countWithin(services, caller, request, countMsMax)
  if (counted !== undefined) return counted
  throw tooManyToCount('There are too many events to count them in time. Choose a later `since`.')
}

/** The problem of an exact read that takes too long. */
const tooManyToCount = (detail: string): Problem =>
  new Problem('service_unavailable', { detail, headers: { 'Retry-After': '60' } })

/** Counts the events of an endpoint, unless that takes too long. @throws Problem `not_found` or `validation_failed` */
export async function countWithin(
  { database }: Needs<'database'>,
  { tenant }: Caller,
  { id, since }: CompletenessRequest,
  msMax: number,
): Promise<Completeness | undefined> {
  const endpoint = await findEndpoint(database.prisma, tenant.id, id)
  if (!endpoint) throw notFound()
  const sinceMs = since === undefined ? firstMs(endpoint.createdAt) : readSince(since)
  const target = { tenantId: tenant.id, endpointId: id }
  const counted = await countCompleteness(database, target, { sinceMs, msMax })
  return counted === 'too_long' ? undefined : toCompleteness(new Date(sinceMs), counted)
}

const firstMs = (createdAt: Date): number =>
  Math.max(createdAt.getTime(), currentTimeMs() - recordsKeptDays * dayMs)

const readSince = (since: string): number => readSpan(since, undefined, currentTimeMs()).sinceMs

const toCompleteness = (since: Date, { neverSent, ...counts }: EndpointCompleteness) => ({
  since,
  ...counts,
  never_sent: neverSent,
  complete: counts.delivered === counts.events,
})

/** What became of the events of an endpoint, as the API returns it. */
export type Completeness = ReturnType<typeof toCompleteness>
