import { readFileSync } from 'node:fs'
import { root, runTool } from '../run.ts'
import type { LockedPackage } from './locked-packages.ts'

/** The part of npm's CycloneDX document that this code reads. */
export interface BillOfMaterials {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

interface Component {
  readonly 'bom-ref': string
  readonly name: string
}

/** Our workspaces that do not run in production. */
const developmentWorkspaces = /^@hosting\/(bench|openapi-types)@/

/**
 * The production dependencies as a CycloneDX document: from npm's complete bill, the packages that
 * `npm ci --omit=dev` installs and our workspaces. npm's own `--omit dev` also omits every package that a development
 * package needs too, such as debug and jose.
 */
export function makeBillOfMaterials(packages: readonly LockedPackage[]): BillOfMaterials {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const whole = JSON.parse(runTool('npm', args)) as BillOfMaterials
  const { name } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { name: string }
  const locked = new Set(packages.map(refOf))
  const inProduction = new Set(packages.filter(({ isDev }) => !isDev).map(refOf))
  const isKept = (ref: string): boolean =>
    locked.has(ref) ? inProduction.has(ref) : !developmentWorkspaces.test(ref)
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

/** The packages that are installed in production and not in the bill, and references to packages that are not in it. */
export function findErrors(
  { components, dependencies, metadata }: BillOfMaterials,
  packages: readonly LockedPackage[],
): string[] {
  const known = new Set([metadata.component, ...components].map((each) => each['bom-ref']))
  const named = dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn])
  const installed = packages.filter(({ isDev }) => !isDev).map(refOf)
  return [...new Set([...named, ...installed])]
    .filter((ref) => !known.has(ref))
    .map((ref) => `${ref} is missing`)
}

const refOf = ({ name, version }: LockedPackage): string => `${name}@${version}`
