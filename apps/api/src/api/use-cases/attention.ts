import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { attemptResultLabel, findAttemptHelp } from '@hosting/core/webhooks'
import { countRetries, listLostDeliveries } from '@hosting/postgres/deliveries'
import type { EndpointRecord } from '../schemas/endpoint.ts'
import type { Needs } from '../services.ts'
import { readChartStats, type ChartStats } from './attempt-stats.ts'

/**
 * - `failing`: its incident is open
 * - `failed`: its last attempts failed, too few for an incident
 * - `disabled`: it was disabled for failing, or deliveries wait for it
 * - `lost`: deliveries died in the last 24 hours and were not redelivered
 */
export type IssueKind = 'failing' | 'failed' | 'disabled' | 'lost'

/** What is wrong with an endpoint, and since when. */
export interface EndpointIssue {
  readonly endpoint: EndpointRecord
  readonly kind: IssueKind
  /** Why attempts fail, in few words; null if that is not known or does not matter. */
  readonly cause: string | null
  /** What the cause means and what to do about it. */
  readonly help: { readonly meaning: string; readonly advice: string } | undefined
  /** Of failed attempts, or of deliveries that wait or are lost. */
  readonly count: number
  /** Of the last failure, for `failed`; of the first death, for `lost`. */
  readonly since: Date | null
  /** The attempts of the endpoint in the last 24 hours. */
  readonly stats: ChartStats
  /** How many of its deliveries wait for a retry, up to a limit, if its attempts fail. */
  readonly retries: number
}

/** Finds what is wrong with endpoints: the most urgent first, and the same causes together. */
export async function readIssues(
  services: Needs<'database'>,
  tenantId: string,
  endpoints: readonly EndpointRecord[],
): Promise<EndpointIssue[]> {
  const ids = endpoints.map(({ id }) => id)
  const since = new Date(currentTimeMs() - dayMs)
  const lost = await listLostDeliveries(services.database, ids, since)
  const found: FoundIssue[] = [
    ...endpoints.flatMap(findIssue),
    ...lost.map(({ endpointId, statusCode, errorClass, ...row }) => ({
      ...row,
      kind: 'lost' as const,
      endpoint: endpoints.find(({ id }) => id === endpointId)!,
      failure: { statusCode, errorClass },
    })),
  ]
  const issues = await Promise.all(
    found.map(async ({ failure, ...issue }) => {
      const endpointId = issue.endpoint.id
      const isFailing = issue.kind === 'failing' || issue.kind === 'failed'
      return {
        ...issue,
        cause: attemptResultLabel(failure) ?? null,
        help: findAttemptHelp(failure),
        stats: await readChartStats(services, { tenantId, endpointId }, '24h'),
        retries: isFailing ? (await countRetries(services.database, endpointId)).waiting : 0,
      }
    }),
  )
  return issues.toSorted(
    (one, other) =>
      order.indexOf(one.kind) - order.indexOf(other.kind) ||
      (one.cause ?? '').localeCompare(other.cause ?? ''),
  )
}

const order: readonly IssueKind[] = ['failing', 'disabled', 'lost', 'failed']

interface Failure {
  readonly statusCode: number | null
  readonly errorClass: string | null
}

interface FoundIssue extends Omit<EndpointIssue, 'cause' | 'help' | 'stats' | 'retries'> {
  readonly failure: Failure
}

/** What is wrong with an endpoint at present. */
function findIssue(endpoint: EndpointRecord): FoundIssue[] {
  const { enabled, disabled_reason, disabled_at, waiting_deliveries, last_failure_at } = endpoint
  const { state, failing_since, consecutive_failures: count, ...last } = endpoint.health
  const failure = { statusCode: last.last_status_code, errorClass: last.last_error_class }
  if (!enabled) {
    const isFailure = disabled_reason === 'failing'
    if (!isFailure && waiting_deliveries === 0) return []
    const known = isFailure ? failure : { statusCode: null, errorClass: null }
    const waiting = { count: waiting_deliveries, since: disabled_at }
    return [{ endpoint, kind: 'disabled', failure: known, ...waiting }]
  }
  if (state === 'failing') {
    return [{ endpoint, kind: 'failing', failure, count, since: failing_since }]
  }
  return count > 0 ? [{ endpoint, kind: 'failed', failure, count, since: last_failure_at }] : []
}
