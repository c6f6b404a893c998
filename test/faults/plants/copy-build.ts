import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../../tools/run.ts'
import { bundleService, services } from '../../../tools/service-bundle.ts'

/** A change of a built file, before the processes are bundled. */
export interface Patch {
  /** Relative to the repository's root. */
  readonly file: string
  /** Occurs once in the file. */
  readonly find: string
  readonly replace: string
}

/** The workspaces that processes of the service consist of. */
const workspaces = [
  'apps/api',
  'apps/worker',
  'packages/core',
  'packages/html',
  'packages/postgres',
].concat(['packages/process', 'packages/redis'])
/** The parts of a workspace that run. */
const parts = ['assets', 'dist', 'node_modules', 'package.json', 'sql']

/**
 * Copies the built processes and the migrations into `.cache`, with their packages and links to those of npm, and
 * changes files of the copy and bundles them. A run of a copy is not affected when the repository changes or is built again.
 *
 * @returns the root of the copy, with a slash at its end.
 * @throws Error if a patch does not fit any more.
 */
export async function copyBuild(name: string, patches: readonly Patch[]): Promise<string> {
  const folder = `${root}.cache/faults-builds/${name}/`
  await rm(folder, { recursive: true, force: true })
  for (const workspace of workspaces) {
    const present = new Set(await readdir(join(root, workspace)))
    for (const part of parts.filter((each) => present.has(each))) {
      await cp(join(root, workspace, part), join(folder, workspace, part), { recursive: true })
    }
  }
  await cp(join(root, 'prisma'), join(folder, 'prisma'), { recursive: true })
  await linkPackages(folder)
  for (const patch of patches) await apply(folder, patch)
  // Without a change, the copied bundles are current.
  if (patches.length > 0) {
    await Promise.all(services.map((service) => bundleService(service, folder)))
  }
  return folder
}

/** Links every package of npm to the repository's, and our own to the copies. */
async function linkPackages(folder: string): Promise<void> {
  const ours = join(folder, 'node_modules/@hosting')
  await mkdir(ours, { recursive: true })
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name === '@hosting' || name === '.bin') continue
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  for (const workspace of workspaces) {
    await symlink(join(folder, workspace), join(ours, workspace.split('/')[1]!))
  }
}

async function apply(folder: string, { file, find, replace }: Patch): Promise<void> {
  const path = join(folder, file)
  const pieces = (await readFile(path, 'utf8')).split(find)
  if (pieces.length !== 2)
    throw new Error(`${file} contains the text ${pieces.length - 1} times: ${find}`)
  await writeFile(path, pieces.join(replace))
}
