// `npm run migrate`: migrates the database at DATABASE_DIRECT_URL, or else DATABASE_URL, to the current schema. With
// DATABASE_APP_ROLE it also grants that role what the API and the worker need.
// With `-- --rolled-back NAME` or `-- --applied NAME`: records how a failed migration was resolved.
import { parseArgs } from 'node:util'
import { grantToAppRole } from './app-role.ts'
import { migrate, resolveFailed } from './migrations.ts'

const { values } = parseArgs({
  options: { 'rolled-back': { type: 'string' }, applied: { type: 'string' } },
})
const url = process.env['DATABASE_DIRECT_URL'] || process.env['DATABASE_URL']
if (!url) {
  process.stderr.write('DATABASE_URL is missing\n')
  process.exit(1)
}
try {
  process.stdout.write(await run(url))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function run(databaseUrl: string): Promise<string> {
  if (values['rolled-back']) return resolveFailed(databaseUrl, values['rolled-back'], 'rolled-back')
  if (values.applied) return resolveFailed(databaseUrl, values.applied, 'applied')
  const done = await migrate(databaseUrl, undefined, (line) => process.stdout.write(line))
  const name = process.env['DATABASE_APP_ROLE']
  if (!name) return done
  const password = process.env['DATABASE_APP_PASSWORD'] || undefined
  await grantToAppRole(databaseUrl, { name, password })
  return `${done}Granted ${name} what the API and the worker need\n`
}
