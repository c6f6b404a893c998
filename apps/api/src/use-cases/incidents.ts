import { notFound } from '@hosting/core/problems'
import { findIncident, readIncidentDetails } from '@hosting/postgres/webhooks'
import type { Caller } from '../http/caller.ts'
import { toIncidentDetails, type IncidentDetailsRecord } from '../records/incident.ts'
import type { Services } from '../services.ts'
import { tooManyToCount } from './completeness.ts'

/** How long a statement about an incident may take, in ms. */
const readMsMax = 3_500

/** Reads an incident with what happened in it. @throws Problem `not_found`, or `service_unavailable` if it is too large */
export async function readIncident(
  { database }: Services,
  { tenant }: Caller,
  { id, incidentId }: { id: string; incidentId: string },
): Promise<IncidentDetailsRecord> {
  const target = { tenantId: tenant.id, endpointId: id, id: incidentId }
  const row = await findIncident(database.prisma, target)
  if (!row) throw notFound()
  const details = await readIncidentDetails(database, row, readMsMax)
  if (details === 'too_long') {
    throw tooManyToCount('The incident has too many attempts to read them in time.')
  }
  return toIncidentDetails(row, details)
}
