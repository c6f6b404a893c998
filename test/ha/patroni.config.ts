import type { Config } from 'jest'
import shared from './jest.config.ts'

/** Patroni with etcd, from Debian's packages. CI does not run it. */
const config: Config = {
  ...shared,
  globalSetup: '<rootDir>/test/support/build.ts',
  testMatch: ['<rootDir>/test/ha/patroni.ts'],
}

export default config
