// `node tools/image-files.ts <part> <folder>`, a step of the Dockerfile: copies the files that a part of the image
// needs into a folder, and nothing else. It finds them by tracing all imports from the entry points.
import { nodeFileTrace } from '@vercel/nft'
import { copyFileSync, cpSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { root } from './run.ts'

interface Part {
  /** The entry points. */
  readonly entries: readonly string[]
  /** Files that are read by path, which tracing does not find; optional. */
  readonly read: readonly string[]
  /** What is not traced: bundles contain the modules of our workspaces, and the site is read by path; optional. */
  readonly ignore?: readonly string[]
}

const parts: Readonly<Record<string, Part>> = {
  service: {
    entries: ['apps/api/dist/bundle/main.js', 'apps/worker/dist/bundle/main.js'],
    read: [
      'apps/api/assets',
      'apps/api/dist/binaries',
      'apps/api/dist/bundle',
      'apps/api/dist/site',
      'apps/worker/dist/bundle',
      'packages/html/assets',
      'packages/postgres/sql',
      'packages/process/package.json',
      // The pages at /queues.
      'node_modules/@bull-board/ui/dist',
      'node_modules/@bull-board/ui/package.json',
    ],
    ignore: ['packages/*/dist/**', 'apps/api/dist/site/**'],
  },
  operations: {
    entries: [
      'tools/migrate.ts',
      'tools/reencrypt-secrets.ts',
      'tools/anchor-audit.ts',
      'tools/verify-audit.ts',
    ],
    read: ['packages/postgres/sql', 'prisma/migrations', 'prisma/functions'],
  },
}

const isMapOfBundle = /\/dist\/bundle\/[^/]+\.map$/

const [name = '', folder = ''] = process.argv.slice(2)
const part = parts[name]
if (!part || !folder) {
  process.stderr.write(`usage: image-files.ts ${Object.keys(parts).join('|')} <folder>\n`)
  process.exit(1)
}
const { fileList } = await nodeFileTrace([...part.entries], {
  base: root,
  processCwd: root,
  ignore: [...(part.ignore ?? [])],
  readFile: readWithoutTypes,
})
for (const path of fileList) copy(path)
for (const path of part.read) if (lstatSync(root + path, { throwIfNoEntry: false })) copy(path)

/** The tracer reads only JavaScript. null: the file does not exist, which is common for the tracer's queries. */
async function readWithoutTypes(path: string): Promise<string | Buffer | null> {
  try {
    const text = await readFile(path)
    return path.endsWith('.ts') ? stripTypeScriptTypes(text.toString()) : text
  } catch {
    return null
  }
}

function copy(path: string): void {
  const target = join(folder, path)
  const stat = lstatSync(root + path)
  mkdirSync(dirname(target), { recursive: true })
  const filter = (file: string): boolean => !isMapOfBundle.test(file)
  if (stat.isDirectory())
    cpSync(root + path, target, { recursive: true, verbatimSymlinks: true, filter })
  else if (stat.isSymbolicLink()) link(readlinkSync(root + path), target)
  else copyFileSync(root + path, target)
}

/** Once: a link may be both traced and listed. */
function link(to: string, target: string): void {
  if (!lstatSync(target, { throwIfNoEntry: false })) symlinkSync(to, target)
}
