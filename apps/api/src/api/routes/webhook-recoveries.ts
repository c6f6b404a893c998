import { notFound } from '@hosting/core/problems'
import { cancelRecoveries, findRecovery } from '@hosting/postgres/webhooks'
import { change, read } from './define-route.ts'
import { HttpResponse } from '../response.ts'
import { recordChange } from '../use-cases/audit.ts'
import { countRecovery, recover, toRecoveryRecord } from '../use-cases/recoveries.ts'
import { count, idParams, strictObject, uuid } from '../schemas/common.ts'
import { recoveryBody, recoveryResponse } from '../schemas/recovery.ts'

const recoveryParams = strictObject({
  id: uuid('The id of the endpoint.'),
  recovery_id: uuid('The id of the recovery.'),
})

export const recoverRoute = change({
  operationId: 'webhooks.recover',
  method: 'POST',
  path: '/webhooks/:id/recover',
  summary: 'Send the events of a time range again',
  description:
    'Redelivers the event of every dead delivery created in the time range, unless a redelivery has since succeeded or is pending. `status`, `event_types` and `backfill` change which events are sent. Each event is sent at most once, only if the endpoint subscribes to its type now, and never a ping or test. An endpoint can have one running recovery at a time. `total` counts at least the first 10,000 deliveries or events examined and grows with `done` beyond that; at the end both are equal. With `dry_run` nothing is sent; the response contains `total`, which is exact unless counting takes longer than 4 seconds.',
  auth: 'webhooks.manage',
  needsSecretsStore: true,
  params: idParams('endpoint'),
  body: recoveryBody,
  returns: [
    {
      status: 200,
      description: 'The number of deliveries that a recovery would redeliver, for `dry_run`.',
      schema: strictObject({
        total: count('The number of deliveries that a recovery would redeliver.'),
      }),
    },
    { status: 202, description: 'The running recovery.', schema: recoveryResponse },
  ],
  problems: ['conflict'],
  // Counting takes turns with other expensive reads, for which no transaction waits.
  prepare: async ({ caller, params, body }, services) =>
    body.dry_run ? await countRecovery(services, caller, { ...params, ...body }) : undefined,
  handle: async ({ prepared: counted, ...request }) =>
    counted === undefined
      ? await recover(request, { ...request.params, ...request.body })
      : new HttpResponse(200, { total: counted.total }),
})

export const getRecoveryRoute = read({
  operationId: 'webhooks.recoveries.get',
  withoutTurn: 'few records by id',
  path: '/webhooks/:id/recoveries/:recovery_id',
  summary: 'Get the progress of a recovery',
  description: 'Poll it until `status` is not `running`.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: recoveryParams,
  returns: { status: 200, description: 'The recovery.', schema: recoveryResponse },
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

export const cancelRecoveryRoute = change({
  operationId: 'webhooks.recoveries.cancel',
  method: 'DELETE',
  path: '/webhooks/:id/recoveries/:recovery_id',
  summary: 'Cancel a recovery',
  description:
    'Redeliveries that it created are not undone. Cancelling a finished recovery has no effect.',
  auth: 'webhooks.manage',
  needsSecretsStore: true,
  params: recoveryParams,
  returns: { status: 204, description: 'The recovery was cancelled, or had already ended.' },
  problems: [],
  async handle(request) {
    const { caller, params, work } = request
    const { id: endpointId, recovery_id: id } = params
    const recovery = { tenantId: caller.tenant.id, endpointId, id }
    if (!(await findRecovery(work.tx, recovery))) throw notFound()
    if ((await cancelRecoveries(work.tx, { id })) === 0) return
    await recordChange(request, {
      action: 'webhook.recover_cancel',
      target: { type: 'webhook', id: endpointId },
      details: { recovery_id: id },
    })
  },
})

/** Recoveries: bulk redelivery of dead deliveries. */
export const recoveryRoutes = [recoverRoute, getRecoveryRoute, cancelRecoveryRoute]
