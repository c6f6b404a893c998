// `npm run audit:verify`: verifies the chains of the audit log at DATABASE_URL. Exits with 1 if any is broken.
// `-- --since-anchor FILE` also compares them with anchors, one per line, that `npm run audit:anchor` printed or a worker
// logged. FILE may be /dev/stdin.
import { type AuditAnchor } from '@hosting/core/audit'
import { loadConfig } from '@hosting/core/configuration'
import { verifyAuditChains } from '@hosting/postgres/audit'
import { getAuditKeys, openDatabase } from '@hosting/postgres/database'
import { parseAnchors } from './audit-anchors.ts'
import { checkedSearchPath } from './owner-session.ts'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { 'since-anchor': { type: 'string' } } })
const anchorFile = values['since-anchor']
const anchors = anchorFile === undefined ? [] : await readAnchors(anchorFile)
// Redis is not used.
const config = loadConfig({ REDIS_URL: 'redis://127.0.0.1', ...process.env })
const url = (config.databaseDirectUrl ?? config.databaseUrl).reveal()
const database = openDatabase(url, {
  searchPath: await checkedSearchPath(url),
  onError: (error) => process.stderr.write(`${error.message}\n`),
})
const keys = await getAuditKeys(database, config)

const { tenants, rows, errors, setBacks } = await verifyAuditChains(database, keys, anchors)
for (const { tenantId, sequence, error } of errors) {
  const place = sequence === null ? '' : ` #${sequence}`
  process.stdout.write(`${tenantId ?? 'installation'}${place}: ${error}\n`)
}
for (const { tenantId, occurredAt, from, until } of setBacks) {
  process.stdout.write(
    `${tenantId}: a failover before ${occurredAt.toISOString()} lost the links ${from} to ${until} of the installation\n`,
  )
}
process.stdout.write(`${rows} entries of ${tenants} organizations, ${errors.length} errors\n`)
await database.close()
process.exitCode = errors.length > 0 ? 1 : 0

/** /dev/stdin is read from its descriptor: in a container, it may belong to another user. */
async function readAnchors(file: string): Promise<AuditAnchor[]> {
  const isInput = file === '/dev/stdin'
  return parseAnchors(isInput ? await text(process.stdin) : readFileSync(file, 'utf8'), file)
}
