import { notFound } from '@hosting/core/problems'
import { listIncidents, endpointEverExisted } from '@hosting/postgres/webhooks'
import { read } from './define-route.ts'
import { toIncidentRecord } from '../records/endpoint.ts'
import { listById, listQuery, listResponse, readPage } from './list.ts'
import { idParams, strictObject, uuid } from '../schemas/common.ts'
import { failuresToOpen, recordsKeptDays } from '@hosting/core/webhooks'
import { incidentRecord, incidentResponse } from '../schemas/endpoint.ts'
import { readIncident } from '../use-cases/incidents.ts'

export const listIncidentsRoute = read({
  operationId: 'webhooks.incidents',
  path: '/webhooks/:id/incidents',
  summary: 'List the incidents of an endpoint',
  description: `After ${failuresToOpen} failed attempts in a row, an incident opens. The first success closes it, and so does disabling or deleting the endpoint. Incidents, including those of a deleted endpoint, are kept for ${recordsKeptDays} days after they are closed.`,
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams('endpoint'),
  query: strictObject(listQuery),
  returns: {
    status: 200,
    description: 'A page of incidents.',
    schema: listResponse(incidentRecord),
  },
  problems: [],
  async handle({ caller, params, query }, services) {
    const { prisma } = services.database
    const owner = { tenantId: caller.tenant.id, endpointId: params.id }
    if (!(await endpointEverExisted(prisma, owner.tenantId, params.id))) throw notFound()
    return readPage(
      services,
      { list: listById('webhook-incidents'), query },
      {
        read: ({ after, take }) => listIncidents(prisma, { ...owner, beforeId: after, take }),
        toItems: (rows) => rows.map(toIncidentRecord),
      },
    )
  },
})

export const getIncidentRoute = read({
  operationId: 'webhooks.incident',
  path: '/webhooks/:id/incidents/:incident_id',
  summary: 'Get an incident with its timeline and its events',
  description:
    'Shows how the attempts failed over time, how many events the incident concerned, and how many of them have arrived since. Pings and test events do not count as events.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: strictObject({
    id: uuid('The id of the endpoint.'),
    incident_id: uuid('The id of the incident.'),
  }),
  returns: { status: 200, description: 'The incident.', schema: incidentResponse },
  problems: [],
  handle: async ({ caller, params }, services) => ({
    incident: await readIncident(services, caller, {
      id: params.id,
      incidentId: params.incident_id,
    }),
  }),
})
