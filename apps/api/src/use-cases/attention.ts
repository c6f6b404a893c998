import { currentTimeMs } from '@hosting/core/clock'
import { attemptResultLabel, findAttemptHelp } from '@hosting/core/webhooks'
import { listLostDeliveries } from '@hosting/postgres/deliveries'
import type { WebhookRecord } from '../records/webhook.ts'
import type { Services } from '../services.ts'

const dayMs = 86_400_000

/** What is wrong with an endpoint, and since when. */
export interface EndpointIssue {
  readonly webhook: WebhookRecord
  /** Of failed attempts, or of deliveries that wait or are lost. */
  readonly count: number
  /** Of the last failure, for `failed`. */
  readonly since: Date | null
}

/**
 * - `failing`: its incident is open
 * - `failed`: its last attempts failed, too few for an incident
 * - `disabled`: it was disabled for failing, or deliveries wait for it
 * - `lost`: deliveries are dead and were not redelivered
 */
export type IssueKind = 'failing' | 'failed' | 'disabled' | 'lost'

/** Endpoints with the same issue. */
export interface IssueGroup {
  readonly kind: IssueKind
  /** Why attempts fail, in few words; null if that is not known or does not matter. */
  readonly cause: string | null
  /** What the cause means and what to do about it. */
  readonly help: { readonly meaning: string; readonly advice: string } | undefined
  readonly endpoints: readonly EndpointIssue[]
}

/** Finds the endpoints that need attention, grouped by issue and cause. */
export async function readIssues(
  { database }: Services,
  webhooks: readonly WebhookRecord[],
): Promise<IssueGroup[]> {
  const ids = webhooks.map(({ id }) => id)
  const lost = await listLostDeliveries(database, ids, new Date(currentTimeMs() - dayMs))
  const groups = new Groups()
  for (const webhook of webhooks) {
    const issue = issueOf(webhook)
    if (issue) groups.add(issue.kind, issue.cause, { webhook, ...issue })
  }
  for (const { endpointId, statusCode, errorClass, ...row } of lost) {
    const webhook = webhooks.find(({ id }) => id === endpointId)!
    groups.add('lost', { statusCode, errorClass }, { webhook, ...row })
  }
  return groups.list()
}

interface FoundIssue extends Omit<EndpointIssue, 'webhook'> {
  readonly kind: Exclude<IssueKind, 'lost'>
  readonly cause: Cause
}

/** What is wrong with an endpoint at present. */
function issueOf(webhook: WebhookRecord): FoundIssue | undefined {
  const { enabled, disabled_reason, disabled_at, waiting_deliveries, last_failure_at } = webhook
  const { state, failing_since, consecutive_failures: failures, ...last } = webhook.health
  const cause = { statusCode: last.last_status_code, errorClass: last.last_error_class }
  if (!enabled) {
    const isFailure = disabled_reason === 'failing'
    if (!isFailure && waiting_deliveries === 0) return undefined
    const count = waiting_deliveries
    return { kind: 'disabled', cause: isFailure ? cause : noCause, count, since: disabled_at }
  }
  if (state === 'failing') return { kind: 'failing', cause, count: failures, since: failing_since }
  return failures > 0
    ? { kind: 'failed', cause, count: failures, since: last_failure_at }
    : undefined
}

interface Cause {
  readonly statusCode: number | null
  readonly errorClass: string | null
}

const noCause: Cause = { statusCode: null, errorClass: null }
const order: readonly IssueKind[] = ['failing', 'disabled', 'lost', 'failed']

class Groups {
  readonly #groups = new Map<string, IssueGroup & { readonly endpoints: EndpointIssue[] }>()

  add(kind: IssueKind, failure: Cause, issue: EndpointIssue): void {
    const cause = attemptResultLabel(failure) ?? null
    const name = `${kind} ${cause}`
    const { webhook, count, since } = issue
    const group = this.#groups.get(name) ?? {
      kind,
      cause,
      help: findAttemptHelp(failure),
      endpoints: [],
    }
    group.endpoints.push({ webhook, count, since })
    this.#groups.set(name, group)
  }

  /** The most urgent first. */
  list(): IssueGroup[] {
    const groups = [...this.#groups.values()]
    return groups.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))
  }
}
