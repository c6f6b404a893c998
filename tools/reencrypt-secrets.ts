// `npm run secrets:reencrypt`: encrypts everything at DATABASE_URL with the first key of SECRETS_KEYRING, so that
// the other keys can be removed. Exits with 1 while anything is still encrypted with another key.
import { loadConfig } from '@hosting/core/configuration'
import { createSecretsStore } from '@hosting/core/secrets-store'
import { openDatabase } from '@hosting/postgres/database'
import { countEncryptedSecrets, reencryptSecrets } from '@hosting/postgres/secrets-store'
import { checkedSearchPath } from './owner-session.ts'

// Redis is not used.
const config = loadConfig({ REDIS_URL: 'redis://127.0.0.1', ...process.env })
const keyring = config.secretsKeyring?.reveal()
if (!keyring) {
  process.stderr.write('SECRETS_KEYRING is missing\n')
  process.exit(1)
}
const keyId = keyring[0]!.id
const url = (config.databaseDirectUrl ?? config.databaseUrl).reveal()
const database = openDatabase(url, {
  searchPath: await checkedSearchPath(url),
  onError: (error) => process.stderr.write(`${error.message}\n`),
})

const { reencrypted, undecryptable } = await reencryptSecrets(
  database,
  createSecretsStore(keyring),
  {
    keyId,
  },
)
for (const { table, id } of undecryptable) {
  process.stdout.write(`${table} ${id}: no key of the keyring opens it\n`)
}
process.stdout.write(`${reencrypted} encrypted again under ${keyId}\n`)
const counts = await countEncryptedSecrets(database)
for (const { table, keyId: under, count } of counts) {
  process.stdout.write(`${table}: ${count} under ${under}\n`)
}
await database.close()
process.exitCode = counts.some((each) => each.keyId !== keyId) ? 1 : 0
