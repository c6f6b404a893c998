import { connectOrExplain, requireSettings, sessionConfigOf } from '@hosting/postgres/database'
import pg from 'pg'

/**
 * Prepares a session of the role that owns the tables, before it does anything else: refuses a schema in which
 * somebody else has put code that the session could run, and pins the search path to this schema. Other roles may be
 * able to connect to the same database, and an attacker may have taken them over.
 *
 * @returns the search path, for further sessions.
 * @throws Error that names the foreign objects.
 */
export async function pinOwnerSession(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ schema: string | null }>(
    'SELECT pg_catalog.current_schema() AS schema',
  )
  const schema = rows[0]?.schema
  if (!schema) throw new Error('The database has no schema on the search path of this role')
  await client.query('SET search_path = pg_catalog, pg_temp')
  const { rows: foreign } = await client.query<{ name: string }>(foreignObjects, [schema])
  if (foreign.length > 0) {
    const names = foreign.map(({ name }) => name).join(', ')
    throw new Error(
      `The schema ${schema} contains objects of other roles, which could run with the rights of this one: ${names}. ` +
        'Find out who created them (docs/operations.md#objects-of-other-roles), and drop them',
    )
  }
  // Without pg_temp, temporary objects would be found first.
  const path = `${pg.escapeIdentifier(schema)}, pg_temp`
  await client.query(`SET search_path = ${path}`)
  return path
}

/** Like {@link pinOwnerSession}, for a tool that opens its own connections. */
export async function checkedSearchPath(databaseUrl: string): Promise<string> {
  const client = new pg.Client(sessionConfigOf(databaseUrl))
  await connectOrExplain(client)
  try {
    await requireSettings(client)
    return await pinOwnerSession(client)
  } finally {
    await client.end()
  }
}

/**
 * Trusted are the owner of the tables, before the first migration the role of this session, and every role that may
 * become it, such as superusers. Also looks for triggers and rules on partitions in other schemas.
 */
const foreignObjects = `
  WITH owner AS (
    SELECT coalesce(
      (SELECT relowner FROM pg_class WHERE relname = 'audit_events' AND relnamespace = $1::regnamespace),
      (SELECT oid FROM pg_roles WHERE rolname = current_user)
    ) AS oid
  ), foreign_roles AS (
    SELECT r.oid FROM pg_roles r, owner WHERE NOT pg_has_role(r.oid, owner.oid, 'MEMBER')
  ), relations AS (
    SELECT c.oid, c.relowner FROM pg_class c
    WHERE c.relnamespace = $1::regnamespace OR EXISTS (
      SELECT 1 FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent
      WHERE i.inhrelid = c.oid AND p.relnamespace = $1::regnamespace
    )
  )
  SELECT 'function ' || oid::regprocedure AS name FROM pg_proc
  WHERE pronamespace = $1::regnamespace AND proowner IN (SELECT oid FROM foreign_roles)
  UNION ALL
  SELECT 'operator ' || oid::regoperator FROM pg_operator
  WHERE oprnamespace = $1::regnamespace AND oprowner IN (SELECT oid FROM foreign_roles)
  UNION ALL
  SELECT 'trigger ' || quote_ident(t.tgname) || ' on ' || t.tgrelid::regclass
  FROM pg_trigger t JOIN relations c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
  WHERE NOT t.tgisinternal AND p.proowner IN (SELECT oid FROM foreign_roles)
  UNION ALL
  SELECT 'rule ' || quote_ident(r.rulename) || ' on ' || r.ev_class::regclass
  FROM pg_rewrite r JOIN relations c ON c.oid = r.ev_class
  WHERE c.relowner IN (SELECT oid FROM foreign_roles)
  ORDER BY 1 LIMIT 20`
