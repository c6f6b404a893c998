import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { root, runTool } from './run.ts'

// `npm run install:helm`: builds Helm in the pinned version from its Go module, whose checksums Go verifies, and keeps
// it for the tests of the chart (docs/decisions/0098-helm-chart.md). Takes about two minutes, once.

const version = '3.22.0'
const cache = `${root}.cache`

/** Where Helm is kept. */
export const helmPath = `${cache}/helm-${version}`

if (import.meta.main && !existsSync(helmPath)) build()

function build(): void {
  mkdirSync(cache, { recursive: true })
  const directory = mkdtempSync(`${cache}/helm-build-`)
  try {
    // The compiler collects garbage less often, for which it needs more memory.
    const environment = { GOBIN: directory, GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOGC: '400' }
    // Without optimizations and debugging information: it runs for seconds, and is compiled for minutes.
    const flags = ['-trimpath', '-gcflags=all=-N -l -dwarf=false', '-ldflags=-s -w']
    runTool('go', ['install', ...flags, `helm.sh/helm/v3/cmd/helm@v${version}`], environment)
    renameSync(`${directory}/helm`, helmPath)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
