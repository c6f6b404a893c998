import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

// Runs test files with jest's test framework, but loads them with Node's own module loader. So a jest worker loads
// our packages and those of npm once, and not again for each test file. The modules of the tests themselves are
// loaded for each test file.

type Framework = (...values: readonly unknown[]) => Promise<unknown>

const require = createRequire(import.meta.url)
const runFramework = (require('jest-circus/runner') as { default: Framework }).default

// Code under `src` is loaded as it was built. So it is the same module for tests that import it by its path and for
// those that import its package, and it is what production runs.
const source = /^(file:.*\/(?:apps|packages)\/[^/]+)\/src\/(.+)\.tsx?$/

/** Loaded once, too: it keeps compiled schemas, and nothing of a test. */
const kept = new URL('../support/response-schemas.ts', import.meta.url).href

/** Marks the modules of one run of a test file. */
const runOf = (url = ''): string | undefined => /\?run=\d+$/.exec(url)?.[0]

registerHooks({
  resolve(specifier, context, next) {
    const run = runOf(context.parentURL)
    if (run === undefined) return next(specifier, context)
    if (specifier === '@jest/globals') {
      return next('./globals.ts' + run, { ...context, parentURL: import.meta.url })
    }
    if (!/^\.\.?\/.*\.tsx?$/.test(specifier)) return next(specifier, context)
    const { href } = new URL(specifier, context.parentURL)
    if (href === kept) return next(href, context)
    return next(source.test(href) ? href.replace(source, '$1/dist/$2.js') : href + run, context)
  },
})

let runs = 0

/** Loads the test framework without the tests and the event handlers of the previous test file. */
function requireFresh(path: string): unknown {
  Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'))
  Reflect.deleteProperty(require.cache, path)
  return require(path)
}

// The part of jest's runtime that the framework uses.
const runtime = {
  requireInternalModule: requireFresh,
  requireModule: require,
  setGlobalsForRuntime(globals: object) {
    Object.assign(globalThis, { testFramework: globals })
  },
  unstable_shouldLoadAsEsm: () => true,
  unstable_importModule: (path: string) => import(`${pathToFileURL(path).href}?run=${++runs}`),
  enterTestCode: () => undefined,
  leaveTestCode: () => undefined,
}

/** A test runner of jest. */
export default function runTestFile(
  ...[globalConfig, config, environment, , ...rest]: readonly unknown[]
): Promise<unknown> {
  return runFramework(globalConfig, config, environment, runtime, ...rest)
}
