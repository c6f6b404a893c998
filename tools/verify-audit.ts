// `npm run audit:verify`: verifies the chains of the audit log at DATABASE_URL. Exits with 1 if any is broken.
// `-- --since-anchor FILE` also compares them with anchors, one per line, that `npm run audit:anchor` printed.
import { type AuditAnchor } from '@hosting/core/audit'
import { loadConfig } from '@hosting/core/configuration'
import { verifyAuditChains } from '@hosting/postgres/audit'
import { getAuditKeys, openDatabase } from '@hosting/postgres/database'
import { checkedSearchPath } from './owner-session.ts'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { 'since-anchor': { type: 'string' } } })
const anchorFile = values['since-anchor']
const anchors = anchorFile === undefined ? [] : readAnchors(anchorFile)
// Redis is not used.
const config = loadConfig({ REDIS_URL: 'redis://127.0.0.1', ...process.env })
const url = (config.databaseDirectUrl ?? config.databaseUrl).reveal()
const database = openDatabase(url, {
  searchPath: await checkedSearchPath(url),
  onError: (error) => process.stderr.write(`${error.message}\n`),
})
const keys = await getAuditKeys(database, config)

const { tenants, rows, errors } = await verifyAuditChains(database, keys, anchors)
for (const { tenantId, sequence, error } of errors) {
  const place = sequence === null ? '' : ` #${sequence}`
  process.stdout.write(`${tenantId ?? 'installation'}${place}: ${error}\n`)
}
process.stdout.write(`${rows} entries of ${tenants} organizations, ${errors.length} errors\n`)
await database.close()
process.exitCode = errors.length > 0 ? 1 : 0

/** @throws Error if the file contains anything but anchors, or is empty. */
function readAnchors(file: string): AuditAnchor[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const found = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [parseAnchor(line, `${file}:${index + 1}`)],
  )
  if (found.length === 0) throw new Error(`${file} contains no anchor`)
  return found
}

function parseAnchor(line: string, place: string): AuditAnchor {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Error(`${place} is not JSON`)
  }
  const { time, count, hash, signature } = (value ?? {}) as Partial<AuditAnchor>
  const isText = [time, hash, signature].every((each) => typeof each === 'string')
  if (!isText || !Number.isSafeInteger(count) || count! < 0) {
    throw new Error(`${place} is not an anchor`)
  }
  return { time: time!, count: count!, hash: hash!, signature: signature! }
}
