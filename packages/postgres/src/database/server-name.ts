import type { Database } from './database.ts'
import { run } from './define-statement.ts'
import { identityStatement, nameOf } from './server-lineage.ts'

/**
 * Reads which server the database is on, also behind a pooler. The text changes when a standby is promoted. `undefined`:
 * a standby, or a server that does not tell.
 */
export async function readServerName({
  pool,
}: Pick<Database, 'pool'>): Promise<string | undefined> {
  const [server] = await run(pool, identityStatement, {}).catch(() => [])
  return server && nameOf(server)
}
