import { minuteMs } from '@hosting/core/clock'
import type { IncidentRecord } from '../../../api/schemas/webhook.ts'
import { urlOf } from '../../view/url.ts'

/**
 * The filters of a list for the time of an incident. It starts and ends with whole minutes: a delivery is created shortly
 * before its first attempt fails.
 */
export function spanOfIncident(
  { opened_at, closed_at }: Pick<IncidentRecord, 'opened_at' | 'closed_at'>,
  [since, until]: readonly [string, string],
): Record<string, string> {
  const minute = (at: Date, later: number): string =>
    new Date((Math.floor(at.getTime() / minuteMs) + later) * minuteMs).toISOString()
  return {
    [since]: minute(opened_at, 0),
    ...(closed_at && { [until]: minute(closed_at, 1) }),
  }
}

/** The list of an endpoint's deliveries from the time of an incident. */
export const deliveriesOfIncident = (id: string, incident: IncidentRecord): string =>
  urlOf(`/webhooks/${id}/deliveries`, spanOfIncident(incident, ['since', 'until']))
