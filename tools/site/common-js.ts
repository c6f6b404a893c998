import { buildSync } from 'esbuild'
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of a package's CommonJS modules and their types, below the package. */
const target = 'dist/cjs'

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>
}

/**
 * Adds CommonJS modules with types of their own to a staged package of ES modules, for `require` in older programs, Jest
 * and every module resolution of TypeScript. Only the download has them: the repository itself uses ES modules.
 *
 * @param folder - the package, with its `dist`, and for the platform's SDK with `connection`.
 */
export function addCommonJs(folder: string): void {
  const roots = [join(folder, 'dist'), folder]
  for (const [index, pattern] of ['**/*', 'connection/*'].entries()) {
    const root = roots[index]!
    const find = (extension: string): string[] =>
      globSync(`${pattern}.${extension}`, { cwd: root, exclude: ['cjs/**'] })
    const outdir = join(folder, target)
    buildSync({
      entryPoints: find('js').map((file) => join(root, file)),
      outdir,
      outbase: root,
      format: 'cjs',
      platform: 'node',
      target: 'node20.19',
      logLevel: 'error',
    })
    for (const file of find('d.ts')) {
      mkdirSync(dirname(join(outdir, file)), { recursive: true })
      cpSync(join(root, file), join(outdir, file))
    }
  }
  for (const file of globSync(`${target}/**/*.{js,ts}`, { cwd: folder })) {
    const path = join(folder, file)
    const code = readFileSync(path, 'utf8')
    // Not every module resolution knows the `imports` of a package.
    const text = code
      .replaceAll(/(['"])#connection\1/g, '"./connection/index.js"')
      // The default of a CommonJS module that was an ES module is its `default`, as with TypeScript's `esModuleInterop`.
      .replaceAll(/(__toESM\(require\("[^"]+"\)), 1\)/g, '$1)')
    writeFileSync(path, text.replaceAll(/^\/\/# sourceMappingURL.*$\n?/gm, ''))
  }
  const type = { type: 'commonjs', sideEffects: false }
  writeFileSync(join(folder, target, 'package.json'), `${JSON.stringify(type)}\n`)
  const path = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  writeFileSync(path, `${JSON.stringify(withCommonJs(manifest), null, 2)}\n`)
}

const toCommonJs = (path: string): string => path.replace('./dist/', `./${target}/`)

function withCommonJs(manifest: Manifest): object {
  const entries = Object.entries(manifest.exports)
  const typesOf = ([name, { types }]: (typeof entries)[number]) => [
    name.slice('./'.length),
    [toCommonJs(types)],
  ]
  return {
    ...manifest,
    main: `./${target}/index.js`,
    types: `./${target}/index.d.ts`,
    // For the resolution that does not know `exports`.
    typesVersions: {
      '*': Object.fromEntries(entries.filter(([name]) => name !== '.').map(typesOf)),
    },
    exports: Object.fromEntries(
      entries.map(([name, { types, default: module }]) => [
        name,
        {
          import: { types, default: module },
          require: { types: toCommonJs(types), default: toCommonJs(module) },
        },
      ]),
    ),
  }
}
