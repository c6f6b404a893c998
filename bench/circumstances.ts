import { readFileSync } from 'node:fs'
import os from 'node:os'
import { root, runTool } from '../tools/run.ts'
import type { Circumstances } from './results.ts'

/** The packages that do the measured work. */
const packages = ['express', 'bullmq', 'ioredis', 'got', 'pg', 'prisma']

/** What a run's figures depend on besides the servers. */
export const readCircumstances = (): Circumstances => ({
  commit: readCommit(),
  machine: {
    processor: os.cpus()[0]?.model ?? 'unknown',
    cores: String(os.cpus().length),
    memory: `${Math.round(os.totalmem() / 2 ** 30)} GiB`,
    system: `${readDistribution()}, ${os.type()} ${os.release()}`,
  },
  versions: {
    node: process.versions.node,
    ...Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
  },
})

function versionOf(name: string): string {
  const manifest = readFileSync(`${root}node_modules/${name}/package.json`, 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** The commit, and whether the code differs from it. Kept figures are no code. */
function readCommit(): string {
  try {
    const commit = runTool('git', ['rev-parse', '--short', 'HEAD']).trim()
    const changes = runTool('git', ['status', '--porcelain', '--', '.', ':!bench/measured.json'])
    return changes === '' ? commit : `${commit} with changes`
  } catch {
    return 'unknown'
  }
}

function readDistribution(): string {
  try {
    return (
      /^PRETTY_NAME="(.+)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? os.platform()
    )
  } catch {
    return os.platform()
  }
}
