import { hourMs } from '@hosting/core/clock'
import { Problem } from '@hosting/core/problems'
import { filterPatternsMax, isEventPattern } from '@hosting/core/webhooks'
import { type RecoveryCount, countRecovery } from '../../../api/for-pages.ts'
import type { SignedInRequest } from '../../page.ts'
import { toUtcMoment } from '../../view/moments.ts'

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

/** What is wrong with a recovery, and in which field. */
export interface RecoveryError {
  readonly field: 'from' | 'to' | 'event_types'
  readonly error: string
}

/** A recovery with the number of events that it sends, or what is wrong with it. */
export type CountedRecovery =
  | (RecoveryOptions & RecoveryCount & { readonly since: string; readonly until: string })
  | RecoveryError

type RecoverRequest = SignedInRequest<{ readonly id: string }>

/** Counts what the recovery in the URL would send. The end of its range is fixed, so that the count stays right. */
export async function countChosen(pageRequest: RecoverRequest): Promise<CountedRecovery> {
  const { services, caller, params } = pageRequest
  const options = readOptions(pageRequest)
  const { status, eventTypes, backfill } = options
  const [since, until] = rangeOf(pageRequest)
  if (since === undefined) return { field: 'from', error: 'Enter the start of the time range.' }
  if (Number.isNaN(Date.parse(since))) {
    return { field: 'from', error: 'The start is not a date and time.' }
  }
  if (Number.isNaN(Date.parse(until))) {
    return { field: 'to', error: 'The end is not a date and time.' }
  }
  const unknown = eventTypes.find((pattern) => !isEventPattern(pattern))
  if (unknown !== undefined) {
    return { field: 'event_types', error: `“${unknown}” is not an event type.` }
  }
  if (eventTypes.length > filterPatternsMax) {
    const error = `Select at most ${filterPatternsMax} event types, or a whole group.`
    return { field: 'event_types', error }
  }
  try {
    const chosen = eventTypes.length > 0 ? { event_types: [...eventTypes] } : {}
    const span = { id: params.id, since, until }
    const count = await countRecovery(services, caller, { ...span, status, backfill, ...chosen })
    return { since, until, ...options, ...count }
  } catch (error) {
    const [first] = (error instanceof Problem && error.errors) || []
    if (!first) throw error
    const [field, name] =
      first.pointer === '/until' ? (['to', 'The end'] as const) : (['from', 'The start'] as const)
    return { field, error: `${name} ${first.message.replace('since', 'the start')}.` }
  }
}

function rangeOf({ query, now }: RecoverRequest): readonly [string | undefined, string] {
  const spanMs = spans[query['range'] ?? '24h']
  if (spanMs !== undefined) {
    return [new Date(now.getTime() - spanMs).toISOString(), now.toISOString()]
  }
  return [toUtcMoment(query['from']), toUtcMoment(query['to']) ?? now.toISOString()]
}
