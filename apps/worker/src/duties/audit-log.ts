import type { Duty } from './duty.ts'
import { closeRefusalWindows } from '@hosting/postgres/audit'

/** Seals new audit entries. A broken chain is not extended, and its organization is logged. */
export const sealAuditLog: Duty = {
  name: 'seal-audit-log',
  everyMs: 1_000,
  awaits: 'unsealed',
  async run({ auditSealer, log, metrics }) {
    const known = new Set(auditSealer.broken.keys())
    const sealed = await auditSealer.seal()
    metrics.auditBroken.set(auditSealer.broken.size)
    for (const [name, { tenantId, sequence, error }] of auditSealer.broken) {
      if (known.has(name)) continue
      const place = { tenantId, sequence: sequence === null ? null : String(sequence), error }
      log.error(place, 'a chain of the audit log is broken and is not extended')
    }
    return sealed === 0 ? 'idle' : undefined
  },
}

/** Writes the anchor of all audit chains to the log, which is stored outside the database. */
export const anchorAuditLog: Duty = {
  name: 'anchor-audit-log',
  everyMs: 60_000,
  async run({ auditSealer, log }) {
    const anchor = await auditSealer.findNewAnchor()
    if (anchor) log.info({ anchor }, 'audit anchor')
  },
}

/** Writes the number of repeated refusals of a request to the audit log when their minute is over. */
export const closeRefusals: Duty = {
  name: 'close-refusals',
  everyMs: 5_000,
  async run({ database }) {
    await closeRefusalWindows(database)
  },
}
