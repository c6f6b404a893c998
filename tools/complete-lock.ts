// `node tools/complete-lock.ts`, after `npm install`: adds to package-lock.json the optional packages of other
// platforms that the configured registry lacks. npm omits them without a warning, and then `npm ci` refuses
// the whole file ("Missing: … from lock file").
import { readFileSync, writeFileSync } from 'node:fs'
import { root } from './run.ts'

interface Entry {
  readonly version?: string
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const path = `${root}package-lock.json`
const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Entry> }
const missing = Object.entries(lock.packages).flatMap(([parent, { optionalDependencies = {} }]) =>
  Object.entries(optionalDependencies).filter(([name]) => !isEntered(parent, name)),
)
for (const [name, version] of missing)
  lock.packages[`node_modules/${name}`] = toEntry(name, version)
const entries = Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
const packages = Object.fromEntries(entries)
if (missing.length > 0) writeFileSync(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
process.stdout.write(`package-lock.json: ${missing.length} entered\n`)

/** Whether npm would resolve it from its parent: in the parent's node_modules, or in any folder above. */
function isEntered(parent: string, name: string): boolean {
  if (`${parent}/node_modules/${name}`.replace(/^\//, '') in lock.packages) return true
  if (parent === '') return false
  return isEntered(parent.slice(0, Math.max(0, parent.lastIndexOf('/node_modules/'))), name)
}

/** Its name contains the platform, so other platforms do not try to download it. */
function toEntry(name: string, version: string): Entry {
  const words = name.split('/').at(-1)!.split('-')
  const among = (...known: string[]) => words.filter((word) => known.includes(word))
  const os = among('aix', 'android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32')
  const cpu = among('arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64')
  const libc = words.flatMap((word) => /^(gnu|musl)(eabihf)?$/.exec(word)?.[1] ?? [])
  return {
    version,
    ...(cpu.length > 0 && { cpu }),
    ...(libc.length > 0 && { libc: libc.map((word) => (word === 'gnu' ? 'glibc' : word)) }),
    optional: true,
    ...(os.length > 0 && { os }),
  }
}
