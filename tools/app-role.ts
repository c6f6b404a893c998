import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { connectOrExplain, inTransaction, sessionConfigOf } from '@hosting/postgres/database'
import pg from 'pg'
import { pinOwnerSession } from './owner-session.ts'

/** The database role of the API and the worker, if it differs from the role that migrates. */
export interface AppRole {
  readonly name: string
  /** Creates the role if it is missing, and sets its password. Without a password the role must exist. */
  readonly password: string | undefined
}

/** The service only inserts into these. */
const appendOnly = new Set(['audit_events', 'audit_seals', 'audit_chain'])
/**
 * The functions with which the service creates and drops day partitions and raises sequences. They run with the rights
 * of the owner.
 */
const ownerFunctions = [
  'make_partitions(integer)',
  'detach_partition(text)',
  'attach_partition(text)',
  'drop_partition(text)',
  'raise_positions()',
]

/**
 * Grants a role what the service needs: to read and write rows, except updates and deletes of the audit log, its seals
 * and its chain. The role owns nothing and can create nothing, so that it cannot plant code that another role runs
 * (packages/postgres/README.md#roles). Idempotent, and needed after each migration that creates a table.
 *
 * @param databaseUrl - connects as the role that owns the tables.
 * @throws Error if the role could change the audit tables in another way, or create objects.
 */
export async function grantToAppRole(databaseUrl: string, role: AppRole): Promise<void> {
  const client = new pg.Client(sessionConfigOf(databaseUrl, { lock_timeout: '10s' }))
  await connectOrExplain(client)
  try {
    await pinOwnerSession(client)
    await inTransaction(client, async () => {
      if (role.password !== undefined) await putRole(client, role.name, role.password)
      await requireHarmless(client, role.name)
      for (const statement of await grantsFor(client, role.name)) await client.query(statement)
      await requireCreatesNothing(client, role.name)
    })
  } finally {
    await client.end()
  }
}

async function putRole(client: pg.Client, name: string, password: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [name])
  const verb = rowCount === 0 ? 'CREATE' : 'ALTER'
  const verifier = client.escapeLiteral(scramVerifier(password))
  await client.query(`${verb} ROLE ${client.escapeIdentifier(name)} LOGIN PASSWORD ${verifier}`)
}

/** The SCRAM verifier of a password (RFC 5803), so that no statement log contains the password. */
function scramVerifier(password: string): string {
  const [iterations, salt] = [4_096, randomBytes(16)]
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const serverKey = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

/** A superuser, or a role that may become the owner, could still change the audit tables. */
async function requireHarmless(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{ powerful: boolean }>(
    `SELECT r.rolsuper OR pg_has_role(r.oid, c.relowner, 'MEMBER') AS powerful
     FROM pg_roles r, pg_class c WHERE r.rolname = $1 AND c.oid = 'audit_events'::regclass`,
    [name],
  )
  const error = !rows[0] ? 'does not exist' : 'owns the audit tables, or may become their owner'
  if (!rows[0] || rows[0].powerful) throw new Error(`The role ${name} ${error}`)
}

/** A privilege may come from PUBLIC or from another role. */
async function requireCreatesNothing(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{ place: string }>(
    `SELECT 'schema ' || current_schema() AS place WHERE has_schema_privilege($1, current_schema(), 'CREATE')
     UNION ALL
     SELECT 'database ' || current_database() WHERE has_database_privilege($1, current_database(), 'CREATE')`,
    [name],
  )
  if (rows.length === 0) return
  const places = rows.map(({ place }) => place).join(' and ')
  throw new Error(
    `The role ${name} may create objects in ${places}: revoke CREATE from it and from PUBLIC`,
  )
}

async function grantsFor(client: pg.Client, name: string): Promise<string[]> {
  const role = client.escapeIdentifier(name)
  const { rows: tables } = await client.query<{ name: string; owned: boolean }>(
    `SELECT relname AS name, relowner = (SELECT oid FROM pg_roles WHERE rolname = $1) AS owned
     FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND relname NOT IN ('_prisma_migrations', 'applied_functions') ORDER BY relname`,
    [name],
  )
  const { rows: own } = await client.query<{ schema: string }>('SELECT current_schema() AS schema')
  const schema = client.escapeIdentifier(own[0]!.schema)
  return [
    `REVOKE CREATE ON SCHEMA ${schema} FROM ${role}, PUBLIC`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`,
    ...ownerFunctions.map((each) => `GRANT EXECUTE ON FUNCTION ${each} TO ${role}`),
    ...tables.flatMap(({ name: table, owned }) => [
      ...(owned ? [`ALTER TABLE ${client.escapeIdentifier(table)} OWNER TO CURRENT_USER`] : []),
      `REVOKE ALL ON ${client.escapeIdentifier(table)} FROM ${role}, PUBLIC`,
      `GRANT ${privilegesOn(table)} ON ${client.escapeIdentifier(table)} TO ${role}`,
    ]),
  ]
}

const privilegesOn = (table: string): string =>
  appendOnly.has(table) ? 'SELECT, INSERT' : 'SELECT, INSERT, UPDATE, DELETE'
