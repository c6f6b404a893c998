import { listAuditEvents } from '@hosting/postgres'
import { Type } from 'typebox'
import { toAuditRecord } from '../records/audit-event.ts'
import { listResponse, listById, listQuery, readPage } from './list.ts'
import { route } from './public-route.ts'
import { keyIdPattern, nullable, strictObject, time, uuid } from './schemas.ts'

const text = Type.String()

const auditRecord = strictObject({
  id: uuid,
  occurred_at: time,
  action: text,
  outcome: Type.String({ enum: ['success', 'refused'] }),
  reason: nullable(text),
  actor: strictObject({
    type: Type.String({ enum: ['user', 'service_user', 'anonymous', 'system'] }),
    id: nullable(text),
    name: nullable(text),
    key_id: nullable(text),
  }),
  target: strictObject({ type: nullable(text), id: nullable(text) }),
  ip: nullable(text),
  request_id: nullable(text),
  details: Type.Record(Type.String(), Type.Unknown()),
})

export const listAuditEventsRoute = route({
  operationId: 'audit-log.list',
  method: 'GET',
  path: '/audit-log',
  summary: 'List the audit log',
  auth: 'audit.read',
  query: strictObject({
    ...listQuery,
    action: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    key_id: Type.Optional(
      Type.String({
        pattern: keyIdPattern,
        description: 'Entries with this key as actor or target.',
      }),
    ),
    actor_id: Type.Optional(uuid),
    since: Type.Optional(time),
    until: Type.Optional(time),
  }),
  responses: {
    200: { description: 'A page of audit entries.', schema: listResponse(auditRecord) },
  },
  problems: [],
  handle: ({ caller, query }, { database }) =>
    readPage(listById('audit-log'), query, {
      read: ({ after, take }) =>
        listAuditEvents(
          database.prisma,
          {
            tenantId: caller.tenant.id,
            action: query.action,
            keyId: query.key_id,
            actorId: query.actor_id?.toLowerCase(),
            since: query.since === undefined ? undefined : new Date(query.since),
            until: query.until === undefined ? undefined : new Date(query.until),
          },
          { beforeId: after, take },
        ),
      toItems: (rows) => rows.map(toAuditRecord),
    }),
})
