import { build, type Plugin } from 'esbuild'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { serviceSlot } from '../../apps/api/src/docs/service-slot.ts'
import { root, runTool } from '../run.ts'
import { buildWheel } from './wheel.ts'

/** Writes every file of `/downloads` into a folder. */
export async function buildDownloads(folder: string): Promise<void> {
  for (const extension of ['py', 'php', 'go']) {
    copyFileSync(
      `${root}docs/webhooks/verify.${extension}`,
      `${folder}/verify_webhook.${extension}`,
    )
  }
  buildWheel(folder)
  packSdk('sdk', `${folder}/sdk.tgz`)
  packSdk('platform-sdk', `${folder}/platform-sdk.tgz`)
  await bundleHctl(`${folder}/hctl.mjs`)
  packHctl(folder)
}

/**
 * The package of an SDK, from a folder that contains only what its current sources compile to: `dist` may also
 * contain the output of files that no longer exist.
 */
export function packSdk(name: 'sdk' | 'platform-sdk', target: string): void {
  const source = `${root}packages/${name}`
  const stage = mkdtempSync(join(tmpdir(), 'hosting-sdk-'))
  try {
    for (const part of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'src']) {
      cpSync(join(source, part), join(stage, part), { recursive: true })
    }
    const isCurrent = (file: string): boolean =>
      existsSync(join(source, 'src', file.replace(/(\.d)?\.[jt]s(\.map)?$/, '.ts')))
    cpSync(join(source, 'dist'), join(stage, 'dist'), {
      recursive: true,
      filter: (path) =>
        statSync(path).isDirectory() || isCurrent(relative(join(source, 'dist'), path)),
    })
    if (name === 'platform-sdk') includeConnection(stage)
    pack(stage, target)
  } finally {
    rmSync(stage, { recursive: true })
  }
}

/** The platform's SDK contains the part of the SDK that it uses, because that is on no registry. */
function includeConnection(stage: string): void {
  const source = `${root}packages/sdk/dist/connection`
  mkdirSync(join(stage, 'connection'))
  for (const file of readdirSync(source).filter((entry) => /\.(js|d\.ts)$/.test(entry))) {
    const code = readFileSync(join(source, file), 'utf8')
    writeFileSync(join(stage, 'connection', file), code.replace(/^\/\/# sourceMappingURL.*$/m, ''))
  }
  const file = join(stage, 'package.json')
  const { devDependencies: _linked, ...manifest } = JSON.parse(
    readFileSync(file, 'utf8'),
  ) as Manifest
  const published = { ...manifest, imports: { '#connection': './connection/index.js' } }
  writeFileSync(file, `${JSON.stringify(published, null, 2)}\n`)
}

/** Packs the npm package in a folder, without running its scripts. */
function pack(packageFolder: string, target: string): void {
  const scratch = mkdtempSync(join(tmpdir(), 'hosting-pack-'))
  try {
    const options = ['--ignore-scripts', '--loglevel', 'error', '--pack-destination', scratch]
    runTool('npm', ['pack', packageFolder, ...options], withoutNpmOptions)
    const [packed] = readdirSync(scratch) as [string]
    copyFileSync(join(scratch, packed), target)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

/** `npm install` runs the build and passes its own options, such as `--dry-run`, to every npm below it. */
const withoutNpmOptions = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => /^npm_/i.test(name))
    .map((name) => [name, undefined]),
)

/** Loaded only if it is installed: it has native code. */
const keyring = '@napi-rs/keyring'

/** `hctl` in one file with all its dependencies and their licenses. Only the system keychain is missing. */
async function bundleHctl(target: string): Promise<void> {
  const { metafile } = await build({
    entryPoints: [`${root}apps/cli/dist/main.js`],
    outfile: target,
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: [keyring],
    metafile: true,
    legalComments: 'none',
    logLevel: 'error',
    banner: { js: '#!/usr/bin/env node' },
    plugins: [inlineManifest, openServiceSlot],
  })
  const code = readFileSync(target, 'utf8')
  const notices = licensesOf(Object.keys(metafile.inputs)).replaceAll('*/', '* /')
  writeFileSync(target, `${code}\n/*\n${notices}*/\n`, { mode: 0o755 })
}

/** The service writes its URL there when it serves the file. */
const openServiceSlot: Plugin = {
  name: 'open-service-slot',
  setup({ onLoad }) {
    onLoad({ filter: /apps\/cli\/dist\/built-in-server\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const contents = text.replace("slot = ''", `slot = '${serviceSlot}'`)
      if (contents === text) throw new Error(`${path} no longer has an empty slot for the URL.`)
      return { contents }
    })
  },
}

/** In one file, there is no package.json from which the version can be read. */
const inlineManifest: Plugin = {
  name: 'inline-manifest',
  setup({ onLoad }) {
    onLoad({ filter: /apps\/cli\/dist\/environment\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const manifest = readFileSync(`${root}apps/cli/package.json`, 'utf8')
      const contents = text.replace(
        "readFileSync(new URL('../package.json', import.meta.url), 'utf8')",
        () => JSON.stringify(manifest),
      )
      if (contents === text) throw new Error(`${path} no longer reads its version as expected.`)
      return { contents }
    })
  },
}

/** The licenses of the packages whose files are in a bundle. */
function licensesOf(files: readonly string[]): string {
  const packages = files.flatMap(
    (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  )
  const texts = [...new Set(packages)].toSorted().map((path) => {
    const folder = root + path
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${path} has no license file.`)
    return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`
  })
  return `This file contains the following packages.\n\n${texts.join('\n')}`
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly [member: string]: unknown
}

/** The package of `hctl`: the bundle, which needs no other package, and optionally the system keychain. */
function packHctl(folder: string): void {
  const source = `${root}apps/cli`
  const stage = mkdtempSync(join(tmpdir(), 'hosting-hctl-'))
  try {
    const {
      dependencies: _bundled,
      files: _files,
      private: _private,
      ...manifest
    } = JSON.parse(readFileSync(`${source}/package.json`, 'utf8')) as Manifest
    const published = { ...manifest, bin: { hctl: './hctl.mjs' }, man: ['./man/hctl.1'] }
    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
    mkdirSync(join(stage, 'man'))
    copyFileSync(`${folder}/hctl.mjs`, join(stage, 'hctl.mjs'))
    for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE', 'man/hctl.1']) {
      copyFileSync(`${source}/${file}`, join(stage, file))
    }
    pack(stage, `${folder}/hctl.tgz`)
  } finally {
    rmSync(stage, { recursive: true })
  }
}
