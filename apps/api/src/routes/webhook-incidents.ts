import { notFound } from '@hosting/core/problems'
import { listIncidents, webhookEndpointEverExisted } from '@hosting/postgres/webhooks'
import { read } from '../http/define-route.ts'
import { toIncidentRecord } from '../records/incident.ts'
import { listById, listQuery, listResponse, readPage } from './list.ts'
import { idParams, strictObject } from '../schemas/common.ts'
import { failuresToOpen, recordsKeptDays } from '@hosting/core/webhooks'
import { incidentRecord } from '../schemas/webhook.ts'

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
    if (!(await webhookEndpointEverExisted(prisma, owner.tenantId, params.id))) throw notFound()
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
