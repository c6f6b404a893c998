import { readFileSync } from 'node:fs'
import { root } from '../run.ts'

/** The version of the clients: that of the SDK for TypeScript. */
export const clientVersion = (): string =>
  (JSON.parse(readFileSync(`${root}packages/sdk/package.json`, 'utf8')) as { version: string })
    .version
