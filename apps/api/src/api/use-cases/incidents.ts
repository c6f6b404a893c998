import { notFound } from '@hosting/core/problems'
import {
  findIncident,
  findIncidentFailures,
  readIncidentDetails,
  type IncidentFailure,
} from '@hosting/postgres/webhooks'
import type { Caller } from '../access/caller.ts'
import { toIncidentDetails, type IncidentDetailsRecord } from '../records/incident.ts'
import type { Services } from '../services.ts'
import { tooManyToCount } from './completeness.ts'

/** How long a statement about an incident may take, in ms. */
const readMsMax = 3_500

/** An incident of an endpoint. */
interface IncidentTarget {
  readonly id: string
  readonly incidentId: string
}

/** Reads an incident with what happened in it. @throws Problem `not_found`, or `service_unavailable` if it is too large */
export async function readIncident(
  services: Services,
  caller: Caller,
  target: IncidentTarget,
): Promise<IncidentDetailsRecord> {
  const { database } = services
  const row = await getIncident(services, caller, target)
  const details = await readIncidentDetails(database, row, readMsMax)
  if (details === 'too_long') {
    throw tooManyToCount('The incident has too many attempts to read them in time.')
  }
  return toIncidentDetails(row, details)
}

/** Finds the first and the last failed attempt of an incident. @throws Problem as {@link readIncident} does */
export async function readIncidentFailures(
  services: Services,
  caller: Caller,
  target: IncidentTarget,
): Promise<{ first: IncidentFailure; last: IncidentFailure } | undefined> {
  const row = await getIncident(services, caller, target)
  const failures = await findIncidentFailures(services.database, row, readMsMax)
  if (failures !== 'too_long') return failures
  throw tooManyToCount('The incident has too many attempts to read them in time.')
}

async function getIncident(
  { database }: Services,
  { tenant }: Caller,
  { id, incidentId }: IncidentTarget,
) {
  const target = { tenantId: tenant.id, endpointId: id, id: incidentId }
  const row = await findIncident(database.prisma, target)
  if (!row) throw notFound()
  return row
}
