import satisfies from 'spdx-satisfies'
import type { LockedPackage } from './locked-packages.ts'

/** Licences (SPDX) of what may be installed in production: they ask for a notice at most. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
]

/** What besides only builds, checks or tests, and is passed on to nobody. */
const allowedInDevelopment = ['CC-BY-3.0', 'CC-BY-4.0', 'MPL-2.0', 'Python-2.0']

/** Packages that are let in by name, under the licence that was read. */
const exceptions: Readonly<Record<string, string>> = {
  // Of the Prisma CLI's studio, which `--omit=dev` keeps as a peer of @prisma/client. Unchanged, and never loaded.
  'elkjs@0.11.1': 'EPL-2.0',
  // Of the same studio. Both are on the list, in words that SPDX does not know.
  '@visx/vendor@4.0.0-alpha.0': 'MIT and ISC',
  // Its package.json says nothing; its file LICENSE is that of MIT.
  'seq-queue@0.0.5': 'MIT',
}

/**
 * The packages whose licence is not on the list for where they are used, with what is wrong, and how many could
 * not be judged: the registry at hand lacks packages of other platforms, whose licences the lock then lacks too.
 *
 * @param licenceOf - reads the licence from the installed package; `undefined` if it is not installed or has none.
 */
export function findRefused(
  packages: readonly LockedPackage[],
  licenceOf: (path: string) => string | undefined,
): { refused: string[]; unknown: number } {
  const refused: string[] = []
  let unknown = 0
  for (const { name, version, path, isDev, licence: locked, isOfPlatform } of packages) {
    const id = `${name}@${version}`
    const licence = locked ?? licenceOf(path)
    const excepted = Object.hasOwn(exceptions, id) ? exceptions[id] : undefined
    if (excepted !== undefined && (licence ?? excepted) === excepted) continue
    if (licence === undefined && isOfPlatform) unknown += 1
    else if (!isAllowed(licence, isDev)) {
      refused.push(`${id} (${isDev ? 'development' : 'production'}): ${licence ?? 'no licence'}`)
    }
  }
  return { refused, unknown }
}

function isAllowed(licence: string | undefined, isDev: boolean): boolean {
  try {
    const list = isDev ? [...allowed, ...allowedInDevelopment] : allowed
    return licence !== undefined && satisfies(licence, list)
  } catch {
    // Not an SPDX expression, such as `SEE LICENSE IN …`: somebody has to read it.
    return false
  }
}
