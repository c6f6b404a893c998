// `npm run licenses`: fails if a package that package-lock.json installs has a license that is not on the list.
import { readFileSync } from 'node:fs'
import { root } from './run.ts'
import { readLockedPackages } from './supply-chain/locked-packages.ts'
import { findRefused } from './supply-chain/refused-licenses.ts'

const packages = readLockedPackages()
const { refused, unknown } = findRefused(packages, readLicense)
for (const line of refused) process.stderr.write(`not allowed: ${line}\n`)
process.stdout.write(
  `${packages.length - unknown} licenses read, ${unknown} of packages of other platforms unknown, ${refused.length} not allowed\n`,
)
process.exitCode = refused.length > 0 ? 1 : 0

function readLicense(path: string): string | undefined {
  try {
    const text = readFileSync(`${root}${path}/package.json`, 'utf8')
    return (JSON.parse(text) as { license?: string }).license
  } catch {
    return undefined
  }
}
