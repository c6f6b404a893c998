// `npm run migrate`: brings the database at DATABASE_DIRECT_URL, or else DATABASE_URL, to the current schema. With
// DATABASE_APP_ROLE it also grants that role what the API and the worker need.
import { grantToAppRole } from './app-role.ts'
import { migrate } from './migrations.ts'

const url = process.env['DATABASE_DIRECT_URL'] || process.env['DATABASE_URL']
if (!url) {
  process.stderr.write('DATABASE_URL is missing\n')
  process.exit(1)
}
process.stdout.write(migrate(url))

const name = process.env['DATABASE_APP_ROLE']
if (name) {
  await grantToAppRole(url, { name, password: process.env['DATABASE_APP_PASSWORD'] || undefined })
  process.stdout.write(`Granted ${name} what the API and the worker need\n`)
}
