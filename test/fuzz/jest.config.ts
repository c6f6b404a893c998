import type { Config } from 'jest'
import everywhere from '../../jest.config.ts'

const config: Config = {
  ...everywhere,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/fuzz/schemathesis.ts'],
  maxWorkers: 1,
}

export default config
