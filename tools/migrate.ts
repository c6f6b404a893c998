// `npm run migrate`: brings the database at DATABASE_URL to the current schema.
import { migrate } from './migrations.ts'

if (!process.env['DATABASE_URL']) {
  process.stderr.write('DATABASE_URL is missing\n')
  process.exit(1)
}
process.stdout.write(migrate(process.env['DATABASE_URL']))
