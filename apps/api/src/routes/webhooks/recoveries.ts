import { notFound } from '@hosting/core'
import { findRecovery } from '@hosting/postgres'
import { Type } from 'typebox'
import { cancelRecovery, recover, toRecoveryRecord } from '../../operations/recoveries.ts'
import { route } from '../public-route.ts'
import { idParams, strictObject, time, uuid } from '../schemas.ts'

const recoveryAnswer = strictObject({
  recovery: strictObject({
    id: uuid,
    status: Type.String({ enum: ['running', 'done', 'cancelled'] }),
    total: Type.Integer({ minimum: 0 }),
    done: Type.Integer({ minimum: 0 }),
  }),
})

const recoveryParams = strictObject({ id: uuid, recovery_id: uuid })

export const recoverRoute = route({
  operation: 'webhooks.recover',
  method: 'POST',
  path: '/webhooks/:id/recover',
  summary: 'Redeliver every dead delivery of a span',
  description:
    'Sends again each event of a dead delivery that was made in the span, unless it has reached the endpoint by a redelivery since or is on its way. One recovery of an endpoint runs at a time. `total` counts the first 10,000 dead deliveries of the span and grows with `done` past them; at the end both are equal. With `dry_run` nothing is sent, and `total` is the answer.',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: idParams,
  body: strictObject({
    since: time,
    until: Type.Optional(time),
    dry_run: Type.Optional(Type.Boolean({ default: false })),
  }),
  answers: {
    200: {
      description: 'What a recovery would redeliver, for `dry_run`.',
      schema: strictObject({ total: Type.Integer({ minimum: 0 }) }),
    },
    202: { description: 'The recovery, which runs.', schema: recoveryAnswer },
  },
  problems: ['conflict'],
  handle: (request) => recover(request, { ...request.params, ...request.body }),
})

export const getRecoveryRoute = route({
  operation: 'webhooks.recoveries.get',
  method: 'GET',
  path: '/webhooks/:id/recoveries/:recovery_id',
  summary: 'Show how far a recovery is',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: recoveryParams,
  answers: { 200: { description: 'The recovery.', schema: recoveryAnswer } },
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
  operation: 'webhooks.recoveries.cancel',
  method: 'DELETE',
  path: '/webhooks/:id/recoveries/:recovery_id',
  summary: 'Cancel a recovery',
  description: 'What was redelivered stays so. A recovery that has ended stays as it is.',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: recoveryParams,
  answers: { 204: { description: 'The recovery does not go on.' } },
  problems: [],
  handle: (request) =>
    cancelRecovery(request, { id: request.params.id, recoveryId: request.params.recovery_id }),
})
