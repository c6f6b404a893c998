// `node tools/image-files.ts <part> <folder>`, a step of the Dockerfile: copies what a part of the image runs
// into a folder, and nothing else. What that is, is traced from its entries over every import.
import { nodeFileTrace } from '@vercel/nft'
import { copyFileSync, cpSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { root } from './run.ts'

interface Part {
  /** Where running begins. */
  readonly entries: readonly string[]
  /** What is read by its path, which no import tells of; left out where there is none. */
  readonly read: readonly string[]
}

const parts: Readonly<Record<string, Part>> = {
  service: {
    entries: ['apps/api/dist/main.js', 'apps/worker/dist/main.js'],
    read: [
      'apps/api/assets',
      'apps/worker/assets',
      'packages/html/assets',
      // The pages at /queues.
      'node_modules/@bull-board/ui/dist',
      'node_modules/@bull-board/ui/package.json',
    ],
  },
  operations: {
    entries: [
      'tools/migrate.ts',
      'tools/reseal-secrets.ts',
      'tools/anchor-audit.ts',
      'tools/verify-audit.ts',
    ],
    read: ['prisma/migrations'],
  },
}

const [name = '', folder = ''] = process.argv.slice(2)
const part = parts[name]
if (!part || !folder) {
  process.stderr.write(`usage: image-files.ts ${Object.keys(parts).join('|')} <folder>\n`)
  process.exit(1)
}
const { fileList } = await nodeFileTrace([...part.entries], {
  base: root,
  processCwd: root,
  readFile: readWithoutTypes,
})
for (const path of fileList) copy(path)
for (const path of part.read) if (lstatSync(root + path, { throwIfNoEntry: false })) copy(path)

/** The tracer reads JavaScript alone; null: there is no such file, as it asks for many. */
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
  if (stat.isDirectory()) cpSync(root + path, target, { recursive: true, verbatimSymlinks: true })
  else if (stat.isSymbolicLink()) link(readlinkSync(root + path), target)
  else copyFileSync(root + path, target)
}

/** Once: the same link may be both traced and read. */
function link(to: string, target: string): void {
  if (!lstatSync(target, { throwIfNoEntry: false })) symlinkSync(to, target)
}
