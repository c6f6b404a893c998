// `npm run --silent audit:anchor`: prints the anchor of all audit chains at DATABASE_URL as one line of JSON. Store
// it outside of the database, for `npm run audit:verify -- --since-anchor FILE`.
import { loadConfig } from '@hosting/core/configuration'
import { AuditSealer, makeAuditAnchor } from '@hosting/postgres/audit'
import { getAuditKeys, openDatabase } from '@hosting/postgres/database'
import { checkedSearchPath } from './owner-session.ts'

// Redis is not used.
const config = loadConfig({ REDIS_URL: 'redis://127.0.0.1', ...process.env })
const url = (config.databaseDirectUrl ?? config.databaseUrl).reveal()
const database = openDatabase(url, {
  searchPath: await checkedSearchPath(url),
  onError: (error) => process.stderr.write(`${error.message}\n`),
})
const keys = await getAuditKeys(database, config)

// The anchor covers all entries until now, including those that no worker has sealed yet.
const sealer = new AuditSealer(database, keys)
while ((await sealer.seal()) > 0);
for (const { tenantId, error } of sealer.broken.values()) {
  process.stderr.write(`${tenantId ?? 'installation'}: ${error}\n`)
}
process.stdout.write(`${JSON.stringify(await makeAuditAnchor(database, keys))}\n`)
await database.close()
process.exitCode = sealer.broken.size > 0 ? 1 : 0
