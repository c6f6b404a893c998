import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findOnPath } from '../../tools/local-stack/path.ts'
import { run } from '../../tools/local-stack/process.ts'
import { root } from '../../tools/run.ts'

const version = '3.22.0'
const cache = `${root}.cache`
const kept = `${cache}/helm-${version}`

/**
 * The path of Helm in the pinned version, built once from its Go module, whose checksums Go verifies
 * (docs/decisions/0098-helm-chart.md). `undefined` if there is no Go or no module proxy.
 */
export async function findHelm(): Promise<string | undefined> {
  if (!existsSync(kept) && (await findOnPath('go'))) await buildHelm().catch(() => undefined)
  if (existsSync(kept)) return kept
  if (process.env['CI'] === 'true') {
    throw new Error('Helm cannot be built, and in CI the chart is not left unchecked.')
  }
  return undefined
}

async function buildHelm(): Promise<void> {
  await mkdir(cache, { recursive: true })
  const directory = await mkdtemp(join(cache, 'helm-build-'))
  try {
    const env = { ...process.env, GOBIN: directory, GOFLAGS: '-mod=mod' }
    await run('go', ['install', '-trimpath', `helm.sh/helm/v3/cmd/helm@v${version}`], {
      env,
      timeout: 900_000,
    })
    await rename(join(directory, 'helm'), kept)
  } finally {
    await rm(directory, { recursive: true })
  }
}
