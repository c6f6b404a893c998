import type { Duty } from './duty.ts'

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
