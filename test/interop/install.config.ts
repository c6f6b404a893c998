import config from './jest.config.ts'

/** Installs what the suite runs. No servers are needed. */
export default {
  ...config,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/interop/install.ts'],
  globalSetup: undefined,
  globalTeardown: undefined,
}
