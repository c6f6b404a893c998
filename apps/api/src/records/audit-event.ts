import type { AuditEventRow } from '@hosting/postgres'

/** An audit event as the API shows it (docs/specification/audit-log.md#entries). */
export const toAuditRecord = (row: AuditEventRow) => ({
  id: row.id,
  occurred_at: row.occurredAt,
  action: row.action,
  outcome: row.outcome,
  reason: row.reason,
  actor: { type: row.actorType, id: row.actorId, name: row.actorName, key_id: row.actorKeyId },
  target: { type: row.targetType, id: row.targetId },
  ip: row.ip,
  request_id: row.requestId,
  details: row.details as Record<string, unknown>,
})
