import { sealAuditEvents } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** Chains and signs what was written to the audit log. */
export const sealAuditLog: Duty = {
  name: 'seal-audit-log',
  everyMs: 1_000,
  async run({ database, serverSecret }) {
    await sealAuditEvents(database, serverSecret)
  },
}
