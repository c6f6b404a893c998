import satisfies from 'spdx-satisfies'
import type { LockedPackage } from './locked-packages.ts'

/** Licenses (SPDX) that are allowed in production: they require at most a notice. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]

/** Additional licenses for packages that only build, check or test, and are not distributed. */
const allowedInDevelopment = ['CC-BY-3.0', 'CC-BY-4.0', 'MPL-2.0', 'Python-2.0']

/** Packages that are allowed by name, with the license that was read. */
const exceptions: Readonly<Record<string, string>> = {
  // Part of the Prisma CLI's studio, which `--omit=dev` keeps as a peer of @prisma/client. Unchanged, and never loaded.
  'elkjs@0.11.1': 'EPL-2.0',
  // Part of the same studio. Both licenses are on the list, but the text is not valid SPDX.
  '@visx/vendor@4.0.0-alpha.0': 'MIT and ISC',
  // Its package.json has no license; its file LICENSE is MIT.
  'seq-queue@0.0.5': 'MIT',
}

/**
 * The packages whose license is not allowed for their use, with the reason, and the number of unknown licenses:
 * the configured registry may lack packages of other platforms, and then the lock lacks their licenses.
 *
 * @param licenseOf - reads the license of the installed package; `undefined` if not installed or without one.
 */
export function findRefused(
  packages: readonly LockedPackage[],
  licenseOf: (path: string) => string | undefined,
): { refused: string[]; unknown: number } {
  const refused: string[] = []
  let unknown = 0
  for (const { name, version, path, isDev, license: locked, isOfPlatform } of packages) {
    const id = `${name}@${version}`
    const license = locked ?? licenseOf(path)
    const excepted = Object.hasOwn(exceptions, id) ? exceptions[id] : undefined
    if (excepted !== undefined && (license ?? excepted) === excepted) continue
    if (license === undefined && isOfPlatform) unknown += 1
    else if (!isAllowed(license, isDev)) {
      refused.push(`${id} (${isDev ? 'development' : 'production'}): ${license ?? 'no license'}`)
    }
  }
  return { refused, unknown }
}

function isAllowed(license: string | undefined, isDev: boolean): boolean {
  try {
    const list = isDev ? [...allowed, ...allowedInDevelopment] : allowed
    return license !== undefined && satisfies(license, list)
  } catch {
    // Not an SPDX expression, such as `SEE LICENSE IN …`: somebody has to read it.
    return false
  }
}
