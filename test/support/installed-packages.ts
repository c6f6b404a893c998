import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../../tools/run.ts'

/**
 * Copies the installed packages of this checkout into another one. The links to the workspaces are relative, so they lead to
 * those of the other one.
 *
 * @param options - further options of `cp`, such as `--link` within a file system.
 */
export function copyInstalledPackages(folder: string, ...options: readonly string[]): void {
  for (const installed of globSync('{.,{apps,packages,tools}/*}/node_modules', { cwd: root })) {
    const target = join(folder, installed)
    mkdirSync(dirname(target), { recursive: true })
    execFileSync('cp', ['--archive', ...options, join(root, installed), target])
  }
}
