import type { AuditActor, AuditEventRow } from '@hosting/postgres/audit'

/** An audit event as the API returns it. */
export const toAuditRecord = (row: AuditEventRow) => ({
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
