import { attemptResultLabel, currentTimeMs, findAttemptHelp } from '@hosting/core'
import { listEndpointFailures, listLostDeliveries } from '@hosting/postgres'
import type { WebhookRecord } from '../records/webhook.ts'
import type { Services } from '../services.ts'

const dayMs = 86_400_000

/** What is wrong with an endpoint, and since when. */
export interface EndpointProblem {
  readonly webhook: WebhookRecord
  /** Of attempts or deliveries. It stops at `problemCountMax`. */
  readonly count: number
  readonly since: Date | null
}

/** Endpoints with the same problem. */
export interface ProblemGroup {
  readonly kind: 'failing' | 'disabled' | 'lost'
  /** Why attempts fail, in few words; null if that is not known or no attempt was made. */
  readonly cause: string | null
  /** What the cause means and what to do about it. */
  readonly help: { readonly meaning: string; readonly advice: string } | undefined
  readonly endpoints: readonly EndpointProblem[]
}

/** Finds the endpoints that need attention, grouped by problem and cause: the most urgent first. */
export async function readProblems(
  { database }: Services,
  webhooks: readonly WebhookRecord[],
): Promise<ProblemGroup[]> {
  const failing = webhooks.filter(isFailing)
  const since = new Date(currentTimeMs() - dayMs)
  const [failures, lost] = await Promise.all([
    listEndpointFailures(
      database,
      failing.map((webhook) => ({ id: webhook.id, lastSuccessAt: webhook.last_success_at })),
    ),
    listLostDeliveries(
      database,
      webhooks.map(({ id }) => id),
      since,
    ),
  ])
  const groups = new Groups()
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  for (const { endpoint_id: id, ...failure } of failures) {
    groups.add('failing', failure, { ...failure, webhook: byId.get(id)! })
  }
  for (const webhook of webhooks) {
    if (webhook.enabled || webhook.waiting_deliveries === 0) continue
    const { waiting_deliveries: count, disabled_at } = webhook
    groups.add('disabled', undefined, { webhook, count, since: disabled_at })
  }
  for (const { endpoint_id: id, ...row } of lost) {
    groups.add('lost', row, { ...row, webhook: byId.get(id)! })
  }
  return groups.list()
}

/** Its last attempt failed. */
const isFailing = ({
  enabled,
  last_success_at: success,
  last_failure_at: failure,
}: WebhookRecord) => enabled && failure !== null && (success === null || failure > success)

interface Failure {
  readonly status_code: number | null
  readonly error_class: string | null
}

class Groups {
  readonly #groups = new Map<string, ProblemGroup & { readonly endpoints: EndpointProblem[] }>()

  add(kind: ProblemGroup['kind'], failure: Failure | undefined, problem: EndpointProblem): void {
    const { status_code: statusCode = null, error_class: errorClass = null } = failure ?? {}
    const cause = attemptResultLabel({ statusCode, errorClass }) ?? null
    const name = `${kind} ${cause}`
    const { webhook, count, since } = problem
    const group = this.#groups.get(name) ?? {
      kind,
      cause,
      help: findAttemptHelp({ statusCode, errorClass }),
      endpoints: [],
    }
    group.endpoints.push({ webhook, count, since })
    this.#groups.set(name, group)
  }

  list(): ProblemGroup[] {
    return [...this.#groups.values()]
  }
}
