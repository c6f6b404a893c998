import { readFileSync } from 'node:fs'
import { root, runTool } from '../run.ts'
import type { LockedPackage } from './locked-packages.ts'

/** The part of CycloneDX 1.5 that npm writes and this code reads. */
export interface BillOfMaterials {
  readonly bomFormat: string
  readonly specVersion: string
  readonly serialNumber: string
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

interface Component {
  readonly 'bom-ref': string
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl: string
}

/**
 * The production dependencies as a CycloneDX document: from npm's complete bill, the packages that
 * `npm ci --omit=dev` installs and our workspaces. npm's own `--omit dev` also omits packages that both the root's
 * tests and a workspace's production code use, such as Express.
 */
export function makeBillOfMaterials(packages: readonly LockedPackage[]): BillOfMaterials {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const whole = JSON.parse(runTool('npm', args)) as BillOfMaterials
  const { name } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { name: string }
  const locked = new Set(packages.map(refOf))
  const inProduction = new Set(packages.filter(({ isDev }) => !isDev).map(refOf))
  const isKept = (ref: string): boolean => !locked.has(ref) || inProduction.has(ref)
  return {
    ...whole,
    // npm uses the folder name of the checkout.
    metadata: { ...whole.metadata, component: { ...whole.metadata.component, name } },
    components: whole.components.filter((component) => isKept(component['bom-ref'])),
    dependencies: whole.dependencies
      .filter(({ ref }) => isKept(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  }
}

/** The problems of a bill: its format, missing packages, and broken references. */
export function findErrors(bill: BillOfMaterials, packages: readonly LockedPackage[]): string[] {
  const { bomFormat, specVersion, serialNumber, components, dependencies, metadata } = bill
  const refs = [metadata.component, ...components].map((component) => component['bom-ref'])
  const known = new Set(refs)
  const led = dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn])
  const isWhole = ({ type, name, version, purl }: Component): boolean =>
    type === 'library' && name !== '' && version !== '' && purl.startsWith('pkg:npm/')
  return [
    ...when(bomFormat !== 'CycloneDX' || specVersion !== '1.5', 'it is not CycloneDX 1.5'),
    ...when(!/^urn:uuid:[0-9a-f-]{36}$/.test(serialNumber), 'it has no serial number'),
    ...when(known.size < refs.length, 'it names a component twice'),
    ...components
      .filter((component) => !isWhole(component))
      .map(({ name }) => `${name} is not whole`),
    ...led.filter((ref) => !known.has(ref)).map((ref) => `${ref} is referred to and missing`),
    ...packages
      .filter((locked) => !locked.isDev && !known.has(refOf(locked)))
      .map((locked) => `${refOf(locked)} is installed and missing`),
  ]
}

const refOf = ({ name, version }: LockedPackage): string => `${name}@${version}`

const when = (condition: boolean, error: string): string[] => (condition ? [error] : [])
