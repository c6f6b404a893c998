import { hourMs } from '@hosting/core/clock'
import { Problem } from '@hosting/core/problems'
import { filterPatternsMax, isEventPattern } from '@hosting/core/webhooks'
import type { RecoveryCount } from '@hosting/postgres/webhooks'
import { countRecovery } from '../../../use-cases/recoveries.ts'
import type { SignedInRequest } from '../../page.ts'
import { toUtcMoment } from '../../view/utc-moment.ts'

const spans: Readonly<Record<string, number>> = {
  '1h': hourMs,
  '24h': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
  '30d': 30 * 24 * hourMs,
}

/** What a recovery sends, as the URL of its page says. */
export interface RecoveryOptions {
  readonly status: 'dead' | 'any'
  readonly eventTypes: readonly string[]
  readonly backfill: boolean
}

/** Reads the options in the query of a URL. */
export function readOptions({
  query,
  rawQuery,
}: Pick<SignedInRequest, 'query' | 'rawQuery'>): RecoveryOptions {
  return {
    status: query['status'] === 'any' ? 'any' : 'dead',
    eventTypes: [...new Set(new URLSearchParams(rawQuery).getAll('event_types'))],
    backfill: query['backfill'] === 'true',
  }
}

/** A recovery with the number of events that it sends, or what is wrong with it. */
export type CountedRecovery =
  | (RecoveryOptions & RecoveryCount & { readonly since: string; readonly until: string })
  | { readonly error: string }

type RecoverRequest = SignedInRequest<{ readonly id: string }>

/** Counts what the recovery in the URL would send. The end of its range is fixed, so that the count stays right. */
export async function countChosen(pageRequest: RecoverRequest): Promise<CountedRecovery> {
  const { services, caller, params } = pageRequest
  const options = readOptions(pageRequest)
  const { status, eventTypes, backfill } = options
  const [since, until] = rangeOf(pageRequest)
  if (since === undefined) return { error: 'Enter the start of the time range.' }
  if (Number.isNaN(Date.parse(since)) || Number.isNaN(Date.parse(until))) {
    return { error: 'The time range must have a valid start and end.' }
  }
  const unknown = eventTypes.find((pattern) => !isEventPattern(pattern))
  if (unknown !== undefined) return { error: `“${unknown}” is not an event type.` }
  if (eventTypes.length > filterPatternsMax) {
    return { error: `Select at most ${filterPatternsMax} event types, or a whole group.` }
  }
  try {
    const chosen = eventTypes.length > 0 ? { event_types: [...eventTypes] } : {}
    const span = { id: params.id, since, until }
    const count = await countRecovery(services, caller, { ...span, status, backfill, ...chosen })
    return { since, until, ...options, ...count }
  } catch (error) {
    const [first] = (error instanceof Problem && error.errors) || []
    if (!first) throw error
    const name = first.pointer === '/until' ? 'The end' : 'The start'
    return { error: `${name} ${first.message.replace('since', 'the start')}.` }
  }
}

function rangeOf({ query, now }: RecoverRequest): readonly [string | undefined, string] {
  const spanMs = spans[query['range'] ?? '24h']
  if (spanMs !== undefined) {
    return [new Date(now.getTime() - spanMs).toISOString(), now.toISOString()]
  }
  return [toUtcMoment(query['from']), toUtcMoment(query['to']) ?? now.toISOString()]
}
