import { notFound } from '@hosting/core/problems'
import { incidentAttemptsMax } from '@hosting/core/webhooks'
import {
  findIncident,
  findIncidentFailures,
  readIncidentDetails,
  type IncidentFailures,
} from '@hosting/postgres/webhooks'
import type { Caller } from '../access/caller.ts'
import { toIncidentDetails } from '../records/endpoint.ts'
import type { IncidentDetailsRecord } from '../schemas/endpoint.ts'
import type { Needs } from '../services.ts'

/** What is read of an incident. Of a larger one, the first attempts are. */
const limits = { attemptsMax: incidentAttemptsMax, msMax: 3_500 }

/** An incident of an endpoint. */
interface IncidentTarget {
  readonly id: string
  readonly incidentId: string
}

/** Reads an incident with what happened in it. @throws Problem `not_found` */
export async function readIncident(
  services: Needs<'database'>,
  caller: Caller,
  target: IncidentTarget,
): Promise<IncidentDetailsRecord> {
  const row = await getIncident(services, caller, target)
  return toIncidentDetails(row, await readIncidentDetails(services.database, row, limits))
}

/** Finds the first and the last failed attempt of an incident. @throws Problem `not_found` */
export async function readIncidentFailures(
  services: Needs<'database'>,
  caller: Caller,
  target: IncidentTarget,
): Promise<IncidentFailures | undefined> {
  const row = await getIncident(services, caller, target)
  return findIncidentFailures(services.database, row, limits)
}

async function getIncident(
  { database }: Needs<'database'>,
  { tenant }: Caller,
  { id, incidentId }: IncidentTarget,
) {
  const target = { tenantId: tenant.id, endpointId: id, id: incidentId }
  const row = await findIncident(database.prisma, target)
  if (!row) throw notFound()
  return row
}
