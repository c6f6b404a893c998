// `npm run migrate`: brings the database at DATABASE_DIRECT_URL, or else DATABASE_URL, to the current schema.
import { migrate } from './migrations.ts'

const url = process.env['DATABASE_DIRECT_URL'] || process.env['DATABASE_URL']
if (!url) {
  process.stderr.write('DATABASE_URL is missing\n')
  process.exit(1)
}
process.stdout.write(migrate(url))
