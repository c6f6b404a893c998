import { startApi } from '@hosting/api'
import { openDatabase } from '@hosting/postgres/database'
import { createLogger } from '@hosting/process'
import { afterAll, beforeAll } from '@jest/globals'
import { connect, type TestApi, type TestTenant } from './connected-api.ts'
import { testConfig } from './environment.ts'

export * from './connected-api.ts'

/** Starts an API for a test file and stops it afterwards. */
export function useApi(overrides: Record<string, string> = {}): TestApi {
  const config = testConfig(overrides)
  let closeAll = () => Promise.resolve()
  const api = {} as { -readonly [Name in keyof TestApi]: TestApi[Name] }

  beforeAll(async () => {
    const running = await startApi(config, createLogger('api', config.logLevel))
    const database = openDatabase(config.databaseUrl.reveal(), { onError: () => undefined })
    Object.assign(api, connect(database, running))
    // Test files share a database and an address, so the limits of addresses would depend on their order.
    await database.prisma.failedTries.deleteMany()
    await database.prisma.deviceRequest.deleteMany()
    closeAll = async () => {
      await running.close()
      await database.close()
    }
  })
  afterAll(() => closeAll())
  return api
}

/** Creates an organization that the tests of a file or of a group share. */
export function useTenant(api: TestApi): TestTenant {
  const tenant = {} as TestTenant
  beforeAll(async () => {
    Object.assign(tenant, await api.makeTenant())
  })
  return tenant
}
