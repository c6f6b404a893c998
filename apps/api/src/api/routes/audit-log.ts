import { keyIdPattern } from '@hosting/core/api-keys'
import { auditActionLengthMax } from '@hosting/core/audit'
import { parseAddress } from '@hosting/core/network'
import { listAuditEvents, type AuditActor, type AuditEventRow } from '@hosting/postgres/audit'
import { Type } from 'typebox'
import { read } from './define-route.ts'
import { listResponse, listById, listQuery, partialPages, readPage } from './list.ts'
import {
  component,
  described,
  filterText,
  nullable,
  strictObject,
  text,
  time,
  timeText,
  uuid,
  wordOf,
  type RecordOf,
} from '../schemas/common.ts'

/** An audit event as the API returns it. */
const toAuditRecord = (row: AuditEventRow) => ({
  id: row.id,
  occurred_at: row.occurredAt,
  action: row.action,
  outcome: row.outcome as 'success' | 'refused',
  reason: row.reason,
  actor: {
    type: row.actorType as AuditActor['type'],
    id: row.actorId,
    name: row.actorName,
    key_id: row.actorKeyId,
  },
  target: { type: row.targetType, id: row.targetId },
  ip: row.ip,
  request_id: row.requestId,
  details: row.details as Record<string, unknown>,
})

const auditOutcomes = ['success', 'refused'] as const

export const auditRecord = component('AuditEvent', {
  id: uuid('The id of the audit event.'),
  occurred_at: time('When it happened.'),
  action: text('What was done, for example `api_key.create` or `webhook.update`.'),
  outcome: wordOf(
    auditOutcomes,
    '`success`: it was done. `refused`: a request was refused, and nothing changed.',
  ),
  reason: nullable(text('The code of the problem of a refused request. Null for a success.')),
  actor: described(
    strictObject({
      type: wordOf(
        ['user', 'service_user', 'anonymous', 'system'],
        '`anonymous`: the request proved no identity. `system`: the service or the platform itself.',
      ),
      id: nullable(text('The id of the user. Null for `anonymous` and `system`.')),
      name: nullable(text('The name of the user at that time. Null for `anonymous` and `system`.')),
      key_id: nullable(text('The id of the key that was used. Null without a key.')),
    }),
    'Who did it.',
  ),
  target: described(
    strictObject({
      type: nullable(text('The type of the record, for example `api_key`. Null without a target.')),
      id: nullable(text('The id of the record. Null without a target.')),
    }),
    'What it was done to.',
  ),
  ip: nullable(text('The client address of the request. Null without a request.')),
  request_id: nullable(text('The `X-Request-Id` of the request. Null without a request.')),
  details: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'What else is known, by action: for example which members changed. Never a secret.',
  }),
})

/** An audit event as the API returns it. */
export type AuditRecord = RecordOf<typeof auditRecord>

export const listAuditEventsRoute = read({
  operationId: 'audit-log.list',
  path: '/audit-log',
  summary: 'List the audit log',
  description: `The changes and refused requests of the organization, newest first. Entries are never changed or deleted. ${partialPages}`,
  auth: 'audit.read',
  query: strictObject({
    ...listQuery,
    action: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: auditActionLengthMax,
        description: 'Only events with exactly this action, for example `api_key.create`.',
      }),
    ),
    key_id: Type.Optional(
      Type.String({
        pattern: keyIdPattern,
        description: 'Only entries with this key as actor or target.',
      }),
    ),
    actor_id: Type.Optional(uuid('Only events whose actor is this user.')),
    target_type: Type.Optional(
      filterText('Only events whose target has this type, for example `webhook`.'),
    ),
    target_id: Type.Optional(filterText('Only events whose target has this id.')),
    outcome: Type.Optional(wordOf(auditOutcomes, 'Only events with this outcome.')),
    ip: Type.Optional(
      Type.String({
        format: 'ip-address',
        description: 'Only events of requests from this client address.',
      }),
    ),
    q: Type.Optional(
      filterText(
        'Only events in which a name contains this text, case-insensitive: the name of the actor, or a name or description of the target, before or after the change.',
      ),
    ),
    since: Type.Optional(timeText('Only events at or after this time.')),
    until: Type.Optional(timeText('Only events before this time.')),
  }),
  returns: {
    status: 200,
    description: 'A page of audit entries.',
    schema: listResponse(auditRecord),
  },
  problems: [],
  handle: ({ caller, query }, services) =>
    readPage(
      services,
      { list: listById('audit-log'), query },
      {
        read: ({ after, take }) =>
          listAuditEvents(
            services.database,
            {
              tenantId: caller.tenant.id,
              action: query.action,
              keyId: query.key_id,
              actorId: query.actor_id?.toLowerCase(),
              targetType: query.target_type,
              targetId: query.target_id,
              outcome: query.outcome,
              ip: query.ip === undefined ? undefined : parseAddress(query.ip)!.toString(),
              namePart: query.q,
              since: query.since === undefined ? undefined : new Date(query.since),
              until: query.until === undefined ? undefined : new Date(query.until),
            },
            { beforeId: after, take },
          ),
        toItems: (rows) => rows.map(toAuditRecord),
      },
    ),
})
