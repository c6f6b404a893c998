import { build, type BuildOptions, type Plugin } from 'esbuild'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { serviceUrlMarker } from '../../apps/api/src/docs/downloads/packages.ts'
import { root } from '../run.ts'
import { addCommonJs } from './common-js.ts'
import { stageWheel } from './wheel.ts'

/** Writes what `/downloads` serves into a folder: single files, and the files of each package. */
export async function buildDownloads(folder: string): Promise<void> {
  mkdirSync(`${folder}/downloads`, { recursive: true })
  for (const extension of ['py', 'php', 'go']) {
    copyFileSync(
      `${root}docs/webhooks/verify.${extension}`,
      `${folder}/downloads/verify_webhook.${extension}`,
    )
  }
  stageWheel(`${folder}/packages/python`)
  stageSdk('sdk', `${folder}/packages/sdk`)
  stageSdk('platform-sdk', `${folder}/packages/platform-sdk`)
  await stageClient(`${folder}/packages/hctl`)
  await bundleHctl(`${folder}/binaries/hctl.cjs`, asScript)
}

/**
 * Writes the package of an SDK into a folder, with only what its current sources compile to: `dist` may also contain the
 * output of files that no longer exist.
 */
export function stageSdk(name: 'sdk' | 'platform-sdk', folder: string): void {
  const source = `${root}packages/${name}`
  for (const part of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'src']) {
    cpSync(join(source, part), join(folder, part), { recursive: true })
  }
  const isCurrent = (file: string): boolean =>
    existsSync(join(source, 'src', file.replace(/(\.d)?\.[jt]s(\.map)?$/, '.ts')))
  cpSync(join(source, 'dist'), join(folder, 'dist'), {
    recursive: true,
    filter: (path) =>
      statSync(path).isDirectory() || isCurrent(relative(join(source, 'dist'), path)),
  })
  if (name === 'platform-sdk') includeConnection(folder)
  addCommonJs(folder)
}

/** The platform's SDK contains the part of the SDK that it uses, because that is on no registry. */
function includeConnection(folder: string): void {
  const source = `${root}packages/sdk/dist/connection`
  mkdirSync(join(folder, 'connection'))
  for (const file of readdirSync(source).filter((entry) => /\.(js|d\.ts)$/.test(entry))) {
    const code = readFileSync(join(source, file), 'utf8')
    writeFileSync(join(folder, 'connection', file), code.replace(/^\/\/# sourceMappingURL.*$/m, ''))
  }
  const { devDependencies: _linked, ...manifest } = readManifest(folder)
  writeManifest(folder, { ...manifest, imports: { '#connection': './connection/index.js' } })
}

/** Loaded only if it is installed: it has native code. */
const keyring = '@napi-rs/keyring'

/** As a file for Node. */
const asModule: BuildOptions = {
  format: 'esm',
  // CommonJS packages load the modules of Node with `require`.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as createRequireOfNode } from 'node:module'\nconst require = createRequireOfNode(import.meta.url)",
  },
}

/** As the code of an executable. Packages look for files of theirs beside it, of which there are none. */
const asScript: BuildOptions = {
  format: 'cjs',
  define: { 'import.meta.url': 'executableUrl' },
  banner: { js: "const executableUrl = require('node:url').pathToFileURL(process.execPath).href" },
}

/** `hctl` in one file with all its dependencies and their licenses. Only the system keychain is missing. */
async function bundleHctl(target: string, form: BuildOptions): Promise<void> {
  const { metafile } = await build({
    ...form,
    entryPoints: [`${root}apps/cli/dist/main.js`],
    outfile: target,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    external: [keyring],
    metafile: true,
    legalComments: 'none',
    // Agents and YAML more than double the file, which is read at each start.
    minify: true,
    // Errors are told by their names.
    keepNames: true,
    logLevel: 'error',
    plugins: [inlineManifest, markServiceUrl],
  })
  const code = readFileSync(target, 'utf8')
  const notices = licensesOf(Object.keys(metafile.inputs)).replaceAll('*/', '* /')
  writeFileSync(target, `${code}\n/*\n${notices}*/\n`, { mode: 0o755 })
}

/** The service writes its URL there when it serves the file. */
const markServiceUrl: Plugin = {
  name: 'mark-service-url',
  setup({ onLoad }) {
    onLoad({ filter: /apps\/cli\/dist\/built-in-server\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const contents = text.replace("slot = ''", `slot = '${serviceUrlMarker}'`)
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
    const { name, version } = readManifest(folder)
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

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

const writeManifest = (folder: string, manifest: Manifest): void =>
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)

/** The package of `hctl`: the bundle, which needs no other package, and optionally the system keychain. */
async function stageClient(folder: string): Promise<void> {
  const source = `${root}apps/cli`
  mkdirSync(`${folder}/man`, { recursive: true })
  await bundleHctl(`${folder}/hctl.mjs`, asModule)
  for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE', 'man/hctl.1']) {
    copyFileSync(`${source}/${file}`, join(folder, file))
  }
  const {
    dependencies: _bundled,
    files: _files,
    private: _private,
    ...manifest
  } = readManifest(source)
  writeManifest(folder, { ...manifest, bin: { hctl: './hctl.mjs' }, man: ['./man/hctl.1'] })
}
