import type { Config } from 'jest'
import build from './build.ts'
import { makeTestsHostile } from './hostile-database.ts'
import type { TestServers } from './servers.ts'

declare global {
  // eslint-disable-next-line no-var -- a global of the test run, read by the teardown
  var testServers: TestServers | undefined
}

/** Whether the command names a suite or file other than those of `npm test`. These have PostgreSQL's own defaults. */
const isOtherSuite = process.argv.slice(2).some((path) => /^(\.\/)?(test|tools)\//.test(path))

/** Builds what the end-to-end tests run, and starts the servers that all tests use. */
export default async function setUp({
  maxWorkers,
}: Config & { maxWorkers: number }): Promise<void> {
  build()
  if (!isOtherSuite) makeTestsHostile()
  // Migrations use what was just built.
  const { startTestServers } = await import('./servers.ts')
  globalThis.testServers = await startTestServers(maxWorkers)
  const { databaseUrls, redisUrls, templateUrl } = globalThis.testServers
  process.env['TEST_DATABASE_URLS'] = JSON.stringify(databaseUrls)
  process.env['TEST_REDIS_URLS'] = JSON.stringify(redisUrls)
  process.env['TEST_TEMPLATE_URL'] = templateUrl
}
