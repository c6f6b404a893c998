// `npm run audit:verify`: walks the chains of the audit log at DATABASE_URL. Exits with 1 if any is broken.
import { loadConfig } from '@hosting/core'
import { getServerSecret, openDatabase, verifyAuditChains } from '@hosting/postgres'

// Redis takes no part in this.
const config = loadConfig({ REDIS_URL: 'redis://127.0.0.1', ...process.env })
const database = openDatabase((config.databaseDirectUrl ?? config.databaseUrl).reveal(), {
  onError: (error) => process.stderr.write(`${error.message}\n`),
})
const serverSecret = await getServerSecret(database, config.serverSecret?.reveal())

const { tenants, rows, faults } = await verifyAuditChains(database, serverSecret)
for (const { tenantId, sequence, fault } of faults) {
  process.stdout.write(`${tenantId}${sequence === null ? '' : ` #${sequence}`}: ${fault}\n`)
}
process.stdout.write(`${rows} events of ${tenants} organizations, ${faults.length} faults\n`)
await database.close()
process.exitCode = faults.length > 0 ? 1 : 0
