import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchDebianPackage } from '../../tools/local-stack/debian-package.ts'
import { run } from '../../tools/local-stack/process.ts'
import { root } from '../../tools/run.ts'

const cache = `${root}.cache`
const kept = `${cache}/promtool`

/**
 * Where promtool is: installed, or taken out of Debian's package `prometheus` (19 MB), of which nothing else
 * is wanted. `undefined` if it cannot be had.
 */
export async function findPromtool(): Promise<string | undefined> {
  const find = () => ['/usr/bin/promtool', kept].find((path) => existsSync(path))
  // Not a Debian, or no network: then there is none.
  if (!find()) await fetchPromtool().catch(() => undefined)
  const found = find()
  if (found === undefined && process.env['CI'] === 'true') {
    throw new Error('There is no promtool, and in CI the alerts are not left unchecked.')
  }
  return found
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
