import { createUuidv7 } from '@hosting/core/ids'
import type { appendAuditEvent } from '@hosting/postgres/audit'
import { randomUUID } from 'node:crypto'

/** An audit event of an organization, by a new user about a new endpoint. */
export const makeAuditEvent = (tenantId: string): Parameters<typeof appendAuditEvent>[1] => ({
  tenantId,
  action: 'webhook.create',
  outcome: 'success',
  actor: { type: 'user', id: randomUUID(), name: 'Ana', keyId: null },
  target: { type: 'webhook', id: randomUUID() },
  ip: '192.0.2.1',
  requestId: createUuidv7(),
})
