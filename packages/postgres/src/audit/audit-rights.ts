import type { Database } from '../database/database.ts'

/**
 * Whether the role of the service's connections can change or remove rows of the audit log, its seals or
 * its chain: as their owner, as a superuser, or by a granted privilege.
 */
export async function mayRewriteAuditLog({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query<{ may: boolean }>(
    `SELECT bool_or(has_table_privilege(name, 'UPDATE, DELETE, TRUNCATE, TRIGGER')) AS may
     FROM unnest(ARRAY['audit_events', 'audit_seals', 'audit_chain']) AS t (name)`,
  )
  return rows[0]!.may
}
