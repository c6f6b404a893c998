// `npm run sbom`: writes the production dependencies, as CycloneDX, to .cache/sbom.cdx.json; fails if incomplete.
import { mkdirSync, writeFileSync } from 'node:fs'
import { root } from './run.ts'
import { findFaults, makeBillOfMaterials } from './supply-chain/bill-of-materials.ts'
import { readLockedPackages } from './supply-chain/locked-packages.ts'

const packages = readLockedPackages()
const bill = makeBillOfMaterials(packages)
const faults = findFaults(bill, packages)
const path = '.cache/sbom.cdx.json'
mkdirSync(`${root}.cache`, { recursive: true })
writeFileSync(root + path, `${JSON.stringify(bill, null, 2)}\n`)
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.stdout.write(`${path}: ${bill.components.length} components, ${faults.length} faults\n`)
process.exitCode = faults.length > 0 ? 1 : 0
