import {
  attemptResultLabel,
  endpointAddress,
  endpointName,
  incidentAttemptsMax,
} from '@hosting/core/webhooks'
import type { IncidentFailure, IncidentFailures } from '../../../api/for-pages.ts'
import type { IncidentDetailsRecord, EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { lastedText } from '../../view/moments.ts'
import { utcTime } from '../../view/time.tsx'
import type { IncidentCauses } from './incident-causes.ts'

/** What the page of an incident shows. */
export interface ShownIncident extends IncidentCauses {
  readonly endpoint: EndpointRecord
  readonly incident: IncidentDetailsRecord
  /** When it was closed, or else now. */
  readonly end: Date
  readonly failures: IncidentFailures | undefined
}

/** The most spans of the text. */
const spansMax = 20

/** An incident as a text to forward, in UTC, without the query of the endpoint's URL. */
export function incidentText(shown: ShownIncident, url: string): string {
  const { endpoint, incident, spans, causes, failures } = shown
  const address = endpointAddress(endpoint.url)
  const name = endpointName(endpoint)
  return [
    `Incident of the webhook endpoint ${name === address ? name : `${name} (${address})`}`,
    '',
    `${spanText(shown)}, ${countText(incident.failed_attempts, 'failed attempt')}.`,
    ...spans.slice(0, spansMax).map((span) => `- ${causeText(span)}`),
    ...(spans.length > spansMax ? [`- and ${spans.length - spansMax} more changes`] : []),
    '',
    ...(failures ? [failureText('First', failures.first)] : []),
    ...(failures?.last ? [failureText('Last', failures.last)] : []),
    ...(incident.affected === null
      ? []
      : [
          `Events affected: ${incident.affected}. Arrived since: ${incident.delivered_since}. Still missing: ${incident.missing}.`,
        ]),
    ...(incident.complete ? [] : [partText(incident)]),
    '',
    ...causes.flatMap(({ label, help }) => (help ? [`${label}: ${help.advice}`] : [])),
    '',
    url,
  ].join('\n')
}

/** What is left out of an incident that was not read completely. */
export const partText = ({ affected, failed_attempts: attempts }: IncidentDetailsRecord): string =>
  affected === null
    ? `Its ${countText(attempts, 'failed attempt')} are too many to read in time, so the course and the events are left out.`
    : `The course and the events are those of the first ${countText(incidentAttemptsMax, 'failed attempt')}. The others are left out.`

/** A number with its noun. */
export const countText = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

function spanText({ incident: { opened_at: opened, closed_at: closed }, end }: ShownIncident) {
  const lasted = lastedText(end.getTime() - opened.getTime())
  return closed === null
    ? `Failing since ${utcTime(opened)} (${lasted})`
    : `Failed from ${utcTime(opened)} to ${utcTime(closed)} (${lasted})`
}

const causeText = ({ start, end, attempts, cause }: ShownIncident['spans'][number]): string =>
  `${utcTime(start)}: ${cause.label}, ${countText(attempts, 'attempt')} in ${lastedText(end.getTime() - start.getTime())}`

function failureText(which: string, failure: IncidentFailure): string {
  const event = failure.eventId === null ? '' : ` of ${failure.eventType}, event ${failure.eventId}`
  return `${which} failure: ${utcTime(failure.startedAt)}, ${attemptResultLabel(failure)}${event}`
}
