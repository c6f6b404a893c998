import { build, type Plugin } from 'esbuild'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from './run.ts'

/** The processes of the service. */
export const services = ['api', 'worker'] as const

export type Service = (typeof services)[number]

/** The file that {@link bundleService} writes last, relative to the checkout. */
export const stampOf = (service: Service): string => `apps/${service}/dist/bundle/.built`

/** Packages with native code. The last one is optional, and not installed. */
const notBundled = ['@node-rs/argon2', 'pg-native']

/** CommonJS packages call `require` for modules of Node, and an ES module has no such function. */
const defineRequire =
  "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url)"

/**
 * Bundles the built files of a service with their packages into `apps/<service>/dist/bundle`: a process loads a few files
 * instead of more than a thousand (deploy/README.md#bundles).
 *
 * @param checkout - the folder whose build it bundles, with a slash at its end.
 * @throws Error if a module is missing.
 */
export async function bundleService(service: Service, checkout: string = root): Promise<void> {
  const folder = `${checkout}apps/${service}/dist/bundle`
  rmSync(folder, { recursive: true, force: true })
  await build({
    entryPoints: [`${checkout}apps/${service}/dist/main.js`],
    outdir: folder,
    absWorkingDir: checkout,
    bundle: true,
    // What is imported when it is used stays out of the main file.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Those of Node. By default esbuild adds one of its own, by which some packages would be bundled twice.
    conditions: [],
    // V8 keeps the text of all code in memory, and doubles it if one character is beyond Latin-1.
    charset: 'ascii',
    minifyWhitespace: true,
    lineLimit: 120,
    legalComments: 'none',
    // For `node --enable-source-maps`, which no process of the service uses.
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'error',
    external: notBundled,
    banner: { js: defineRequire },
    plugins: [keepPaths, importHttpAlone],
  })
  writeFileSync(checkout + stampOf(service), '')
}

/** Our modules find the files that they read from where they are, not from where the bundle is. */
const keepPaths: Plugin = {
  name: 'keep-paths',
  setup({ onLoad, initialOptions }) {
    onLoad({ filter: /\/(apps|packages)\/[^/]+\/dist\/.*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      const place = JSON.stringify(relative(initialOptions.outdir!, path))
      const contents = text
        // esbuild follows the calls of `require` itself.
        .replace('const require = createRequire(import.meta.url);', '')
        .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
      return { contents, loader: 'js' }
    })
  },
}

/**
 * An ES module that imports `node:http` reads all its exports, and the one for WebSockets loads undici, a second HTTP
 * client: 40 ms and 2.5 MiB in a process that never uses it. A CommonJS module reads only what is used.
 */
const importHttpAlone: Plugin = {
  name: 'import-http-alone',
  setup({ onResolve, onLoad }) {
    const namespace = 'module-of-node'
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      // The exporter of traces imports it when it is used, and expects an ES module.
      kind === 'dynamic-import' ? undefined : { path: 'node:http', namespace },
    )
    onLoad({ filter: /^node:http$/, namespace }, () => ({
      contents: "module.exports = process.getBuiltinModule('node:http')",
    }))
  },
}
