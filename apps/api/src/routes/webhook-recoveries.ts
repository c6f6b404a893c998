import { notFound, recordsKeptDays } from '@hosting/core'
import { findRecovery } from '@hosting/postgres'
import { Type } from 'typebox'
import { toRecoveryRecord } from '../records/recovery.ts'
import { cancelRecovery, recover } from '../use-cases/recoveries.ts'
import { route } from './public-route.ts'
import { count, described, idParams, strictObject, time, uuid, wordOf } from './schemas.ts'

const recoveryResponse = strictObject({
  recovery: described(
    strictObject({
      id: uuid('The id of the recovery.'),
      status: wordOf(
        ['running', 'done', 'cancelled'],
        '`running` until every dead delivery was examined (`done`) or the recovery was cancelled.',
      ),
      total: count(
        'The number of dead deliveries found so far. Up to 10,000 are counted in advance.',
      ),
      done: count('The number of dead deliveries that have been handled.'),
    }),
    'The recovery.',
  ),
})

const recoveryParams = strictObject({
  id: uuid('The id of the endpoint.'),
  recovery_id: uuid('The id of the recovery.'),
})

export const recoverRoute = route({
  operationId: 'webhooks.recover',
  method: 'POST',
  path: '/webhooks/:id/recover',
  summary: 'Redeliver all dead deliveries in a time range',
  description:
    'Redelivers the event of every dead delivery created in the time range, unless a redelivery has since succeeded or is pending. An endpoint can have one running recovery at a time. `total` counts the first 10,000 dead deliveries and grows with `done` beyond that; at the end both are equal. With `dry_run` nothing is sent; the response contains `total`.',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: idParams('endpoint'),
  body: strictObject({
    since: time(
      `Recovers deliveries created at or after this time, at most ${recordsKeptDays} days ago.`,
    ),
    until: Type.Optional(
      time('Recovers deliveries created before this time. Default: the time of the request.'),
    ),
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether to only count what a recovery would redeliver.',
      }),
    ),
  }),
  responses: {
    200: {
      description: 'The number of deliveries that a recovery would redeliver, for `dry_run`.',
      schema: strictObject({
        total: count('The number of deliveries that a recovery would redeliver.'),
      }),
    },
    202: { description: 'The running recovery.', schema: recoveryResponse },
  },
  problems: ['conflict'],
  handle: (request) => recover(request, { ...request.params, ...request.body }),
})

export const getRecoveryRoute = route({
  operationId: 'webhooks.recoveries.get',
  method: 'GET',
  path: '/webhooks/:id/recoveries/:recovery_id',
  summary: 'Get the progress of a recovery',
  description: 'Poll it until `status` is not `running`.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: recoveryParams,
  responses: { 200: { description: 'The recovery.', schema: recoveryResponse } },
  problems: [],
  async handle({ caller, params }, { database }) {
    const row = await findRecovery(database.prisma, {
      tenantId: caller.tenant.id,
      endpointId: params.id,
      id: params.recovery_id,
    })
    if (!row) throw notFound()
    return { recovery: toRecoveryRecord(row) }
  },
})

export const cancelRecoveryRoute = route({
  operationId: 'webhooks.recoveries.cancel',
  method: 'DELETE',
  path: '/webhooks/:id/recoveries/:recovery_id',
  summary: 'Cancel a recovery',
  description:
    'Redeliveries that it created are not undone. Cancelling a finished recovery has no effect.',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: recoveryParams,
  responses: { 204: { description: 'The recovery is not running.' } },
  problems: [],
  handle: (request) =>
    cancelRecovery(request, { id: request.params.id, recoveryId: request.params.recovery_id }),
})

/** Recoveries: bulk redelivery of dead deliveries. */
export const recoveryRoutes = [recoverRoute, getRecoveryRoute, cancelRecoveryRoute]
