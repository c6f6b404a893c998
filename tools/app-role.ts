import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import pg from 'pg'

/** The database role of the API and the worker, if it differs from the role that migrates. */
export interface AppRole {
  readonly name: string
  /** Creates the role if it is missing, and sets its password. Without a password the role must exist. */
  readonly password: string | undefined
}

/** The service only inserts into these. */
const appendOnly = new Set(['audit_events', 'audit_seals', 'audit_chain'])
/** The service only reads these. */
const readOnly = new Set(['audit_heads'])
/** The service creates and drops the day partitions of these, so it owns them. */
const partitioned = ['events', 'deliveries', 'delivery_attempts']

/**
 * Grants a role what the service needs: everything except updates and deletes of the audit log, its seals
 * and its chain. Idempotent, and needed after each migration that creates a table.
 *
 * @param databaseUrl - connects as the role that owns the tables.
 * @throws Error if the role could change the audit tables in another way.
 */
export async function grantToAppRole(databaseUrl: string, role: AppRole): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c lock_timeout=10s' })
  await client.connect()
  try {
    await client.query('BEGIN')
    if (role.password !== undefined) await putRole(client, role.name, role.password)
    await requireHarmless(client, role.name)
    for (const statement of await grantsFor(client, role.name)) await client.query(statement)
    await client.query('COMMIT')
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
  const fault = !rows[0] ? 'does not exist' : 'owns the audit tables, or may become their owner'
  if (!rows[0] || rows[0].powerful) throw new Error(`The role ${name} ${fault}`)
}

async function grantsFor(client: pg.Client, name: string): Promise<string[]> {
  const role = client.escapeIdentifier(name)
  const { rows: tables } = await client.query<{ name: string; owned: boolean }>(
    `SELECT relname AS name, relowner = (SELECT oid FROM pg_roles WHERE rolname = $1) AS owned
     FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND relname <> '_prisma_migrations' ORDER BY relname`,
    [name],
  )
  const { rows: own } = await client.query<{ schema: string; member: boolean }>(
    `SELECT current_schema() AS schema, pg_has_role(current_user, $1, 'USAGE') AS member`,
    [name],
  )
  const { schema, member } = own[0]!
  return [
    // The migrating role must still be able to alter the tables that the role owns.
    ...(member ? [] : [`GRANT ${role} TO CURRENT_USER`]),
    `GRANT USAGE, CREATE ON SCHEMA ${client.escapeIdentifier(schema)} TO ${role}`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${client.escapeIdentifier(schema)} TO ${role}`,
    ...tables.flatMap(({ name: table, owned }) =>
      owned ? [] : grantsOn(table, client.escapeIdentifier(table), role),
    ),
  ]
}

function grantsOn(name: string, table: string, role: string): string[] {
  if (appendOnly.has(name)) return limited(table, role, 'SELECT, INSERT')
  if (readOnly.has(name)) return limited(table, role, 'SELECT')
  const isPartitioned = partitioned.some((parent) =>
    new RegExp(`^${parent}(_[0-9]{8})?$`).test(name),
  )
  if (isPartitioned) return [`ALTER TABLE ${table} OWNER TO ${role}`]
  return [`GRANT ALL ON ${table} TO ${role}`]
}

const limited = (table: string, role: string, privileges: string): string[] => [
  `REVOKE ALL ON ${table} FROM ${role}, PUBLIC`,
  `GRANT ${privileges} ON ${table} TO ${role}`,
]
