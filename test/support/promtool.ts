import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchDebianPackage } from '../../tools/local-stack/debian-package.ts'
import { run } from '../../tools/local-stack/process.ts'
import { root } from '../../tools/run.ts'

const cache = `${root}.cache`
const kept = `${cache}/promtool`

/**
 * The path of promtool: installed, or extracted from Debian's package `prometheus` (19 MB), of which only
 * promtool is needed. `undefined` if it is unavailable.
 */
export async function findPromtool(): Promise<string | undefined> {
  const find = () => ['/usr/bin/promtool', kept].find((path) => existsSync(path))
  // Not Debian, or no network: promtool is unavailable.
  if (!find()) await fetchPromtool().catch(() => undefined)
  return find()
}

async function fetchPromtool(): Promise<void> {
  await mkdir(cache, { recursive: true })
  const directory = await mkdtemp(join(cache, 'promtool-'))
  try {
    await fetchDebianPackage('prometheus', directory)
    const archive = (await readdir(directory)).find((name) => name.endsWith('.deb'))!
    await run('dpkg-deb', ['--extract', archive, 'package'], { cwd: directory })
    await rename(join(directory, 'package/usr/bin/promtool'), kept)
  } finally {
    await rm(directory, { recursive: true })
  }
}
