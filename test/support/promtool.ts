import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../tools/run.ts'

const kept = `${root}.cache/promtool`

/**
 * Where promtool is: installed, or taken out of Debian's package `prometheus` (19 MB), of which nothing else
 * is wanted. `undefined` if it cannot be had.
 */
export function findPromtool(): string | undefined {
  const installed = ['/usr/bin/promtool', kept].find((path) => existsSync(path))
  if (installed !== undefined) return installed
  try {
    fetchPromtool()
  } catch {
    // Not a Debian, or no network.
  }
  const found = existsSync(kept) ? kept : undefined
  if (found === undefined && process.env['CI'] === 'true') {
    throw new Error('There is no promtool, and in CI the alerts are not left unchecked.')
  }
  return found
}

function fetchPromtool(): void {
  const directory = mkdtempSync(join(tmpdir(), 'hosting-promtool-'))
  const run = (file: string, ...args: string[]): void => {
    execFileSync(file, args, { cwd: directory, stdio: 'ignore', timeout: 120_000 })
  }
  try {
    try {
      run('apt-get', 'download', 'prometheus')
    } catch {
      // A new machine does not know yet which packages there are.
      const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '--non-interactive']
      const [file, ...args] = [...asRoot, 'apt-get', '-o', 'DPkg::Lock::Timeout=120', 'update']
      run(file, ...args)
      run('apt-get', 'download', 'prometheus')
    }
    const archive = readdirSync(directory).find((name) => name.endsWith('.deb'))!
    mkdirSync(`${root}.cache`, { recursive: true })
    run('dpkg-deb', '--extract', archive, 'package')
    run('mv', 'package/usr/bin/promtool', kept)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
