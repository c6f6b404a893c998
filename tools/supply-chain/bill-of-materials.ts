import { readFileSync } from 'node:fs'
import { root, runTool } from '../run.ts'
import type { LockedPackage } from './locked-packages.ts'

/** As much of CycloneDX 1.5 as npm writes and we look at. */
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
 * What runs in production as a CycloneDX document: of npm's own bill, which covers everything, the packages that
 * `npm ci --omit=dev` installs and our workspaces. npm's own `--omit dev` leaves out of a bill also what
 * the root uses for its tests and a workspace in production, such as Express.
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
    // npm names it after the folder of the checkout.
    metadata: { ...whole.metadata, component: { ...whole.metadata.component, name } },
    components: whole.components.filter((component) => isKept(component['bom-ref'])),
    dependencies: whole.dependencies
      .filter(({ ref }) => isKept(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  }
}

/** What is wrong with a bill: its form, packages that it lacks, and references that lead nowhere. */
export function findFaults(bill: BillOfMaterials, packages: readonly LockedPackage[]): string[] {
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

const when = (condition: boolean, fault: string): string[] => (condition ? [fault] : [])
