import { overlapSecondsDefault } from '@hosting/core/api-keys'
import { notFound } from '@hosting/core/problems'
import { endpointsMax, recordsKeptDays } from '@hosting/core/webhooks'
import {
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  lockEndpoint,
  noActivity,
  readEndpointActivity,
} from '@hosting/postgres/webhooks'
import { Type } from 'typebox'
import { change, read } from './define-route.ts'
import { toEndpointRecord } from '../records/endpoint.ts'
import { readUrlBeforeChange } from '../use-cases/endpoint-origin.ts'
import { recordChange } from '../use-cases/audit.ts'
import { activityOf, addEndpoint, rotateSecret, changeEndpoint } from '../use-cases/endpoints.ts'
import { listResponse, listById, listQuery, readPage } from './list.ts'
import { externalIdFilter, idParams, rotationBody, strictObject } from '../schemas/common.ts'
import {
  endpointAndSecretResponse,
  endpointBody,
  endpointChangeBody,
  endpointRecord,
  endpointResponse,
} from '../schemas/endpoint.ts'

export const listEndpointsRoute = read({
  operationId: 'webhooks.list',
  path: '/webhooks',
  summary: 'List the endpoints',
  description: 'The endpoints of the organization with their health, newest first.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  query: strictObject({ ...listQuery, external_id: Type.Optional(externalIdFilter('endpoint')) }),
  returns: {
    status: 200,
    description: 'A page of endpoints.',
    schema: listResponse(endpointRecord),
  },
  problems: [],
  handle({ caller, query }, services) {
    const { prisma } = services.database
    return readPage(
      services,
      { list: listById('webhooks'), query },
      {
        read: ({ after, take }) =>
          listEndpoints(prisma, {
            tenantId: caller.tenant.id,
            externalId: query.external_id,
            beforeId: after,
            take,
          }),
        async toItems(rows) {
          const activity = await readEndpointActivity(
            prisma,
            rows.map(({ id }) => id),
          )
          return rows.map((row) => toEndpointRecord(row, activity.get(row.id) ?? noActivity))
        },
      },
    )
  },
})

export const createEndpointRoute = change({
  operationId: 'webhooks.create',
  method: 'POST',
  path: '/webhooks',
  summary: 'Create an endpoint',
  description: `Store the signing secret: it is returned only once. An organization can have ${endpointsMax} endpoints.`,
  auth: 'webhooks.manage',
  needsSecretsStore: true,
  body: endpointBody,
  returns: {
    status: 201,
    description: 'The endpoint and its signing secret, which is returned only once.',
    schema: endpointAndSecretResponse,
  },
  problems: ['webhook_url_not_allowed', 'webhook_limit_reached', 'conflict'],
  handle: (request, services) => addEndpoint(services, request, request.body),
})

export const getEndpointRoute = read({
  operationId: 'webhooks.get',
  path: '/webhooks/:id',
  summary: 'Get an endpoint',
  description: 'Returns an endpoint with its health, without its signing secret.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams('endpoint'),
  returns: { status: 200, description: 'The endpoint.', schema: endpointResponse },
  problems: [],
  async handle({ caller, params }, { database: { prisma } }) {
    const row = await findEndpoint(prisma, caller.tenant.id, params.id)
    if (!row) throw notFound()
    const activity = await activityOf(prisma, row.id)
    return { webhook: toEndpointRecord(row, activity) }
  },
})

export const updateEndpointRoute = change({
  operationId: 'webhooks.update',
  method: 'PATCH',
  path: '/webhooks/:id',
  summary: 'Update, disable or enable an endpoint',
  description:
    'Disabling an endpoint pauses its deliveries; enabling resumes them. Omitted members stay unchanged. If the endpoint has custom headers, a change of the scheme, host or port of its URL must come with `headers`: all headers for the new URL, or null to remove them. With a session, such a change needs a confirmation within the last 5 minutes.',
  auth: 'webhooks.manage',
  needsSecretsStore: true,
  params: idParams('endpoint'),
  body: endpointChangeBody,
  returns: { status: 200, description: 'The updated endpoint.', schema: endpointResponse },
  problems: ['webhook_url_not_allowed', 'reauthentication_required', 'conflict'],
  prepare: ({ caller, params }, services) =>
    readUrlBeforeChange(services, caller.tenant.id, params.id),
  handle: (request, services) =>
    changeEndpoint(services, request, {
      id: request.params.id,
      change: request.body,
      urlBefore: request.prepared,
    }),
})

export const deleteEndpointRoute = change({
  operationId: 'webhooks.delete',
  method: 'DELETE',
  path: '/webhooks/:id',
  summary: 'Delete an endpoint',
  description: `Its waiting deliveries become \`dead\`. Its history stays readable for ${recordsKeptDays} days.`,
  auth: 'webhooks.manage',
  needsSecretsStore: true,
  params: idParams('endpoint'),
  returns: { status: 204, description: 'The endpoint is deleted.' },
  problems: [],
  async handle(request) {
    const { caller, params, work } = request
    if (!(await lockEndpoint(work.tx, caller.tenant.id, params.id))) throw notFound()
    await deleteEndpoint(work.tx, params.id)
    const target = { type: 'webhook', id: params.id }
    await recordChange(request, { action: 'webhook.delete', target })
  },
})

export const rotateSecretRoute = change({
  operationId: 'webhooks.rotate-secret',
  method: 'POST',
  path: '/webhooks/:id/rotate-secret',
  summary: 'Rotate the signing secret of an endpoint',
  description:
    'During the overlap period every delivery carries a signature for each valid secret.',
  auth: 'webhooks.manage',
  confirmed: true,
  refusesImpersonation: true,
  needsSecretsStore: true,
  params: idParams('endpoint'),
  body: rotationBody,
  returns: {
    status: 200,
    description: 'The endpoint and its new secret, which is returned only once.',
    schema: endpointAndSecretResponse,
  },
  problems: ['conflict'],
  handle: (request, services) =>
    rotateSecret(services, request, {
      id: request.params.id,
      overlapSeconds: request.body?.grace_seconds ?? overlapSecondsDefault,
    }),
})

/** Webhook endpoints. */
export const endpointRoutes = [
  listEndpointsRoute,
  createEndpointRoute,
  getEndpointRoute,
  updateEndpointRoute,
  deleteEndpointRoute,
  rotateSecretRoute,
]
