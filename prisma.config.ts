import { fileURLToPath } from 'node:url'
import { defineConfig } from 'prisma/config'

// Prisma's native schema engine is a download; ours runs the same engine as WebAssembly from npm.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= fileURLToPath(
  new URL('./tools/schema-engine.mjs', import.meta.url),
)

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? '' },
})
