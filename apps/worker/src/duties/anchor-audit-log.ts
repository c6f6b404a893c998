import type { Duty } from './duty.ts'

/** Writes the anchor of all audit chains to the log, which is stored outside the database. */
export const anchorAuditLog: Duty = {
  name: 'anchor-audit-log',
  everyMs: 60_000,
  async run({ auditSealer, log }) {
    const anchor = await auditSealer.findNewAnchor()
    if (anchor) log.info({ anchor }, 'audit anchor')
  },
}
