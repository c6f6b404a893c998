import { fileURLToPath } from 'node:url'
import { defineConfig } from 'prisma/config'

// For writing migrations; tools/migrations.ts applies them. Prisma's native schema engine is a download; this stand-in runs
// the same engine as WebAssembly from npm.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= fileURLToPath(
  new URL('./tools/schema-engine.mjs', import.meta.url),
)

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // A pooler in transaction mode keeps no session, which migrations need.
  datasource: { url: process.env['DATABASE_DIRECT_URL'] || process.env['DATABASE_URL'] || '' },
})
