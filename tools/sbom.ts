// `npm run sbom`: writes the production dependencies, as CycloneDX, to .cache/sbom.cdx.json; fails if incomplete.
import { mkdirSync, writeFileSync } from 'node:fs'
import { root } from './run.ts'
import { findErrors, makeBillOfMaterials } from './supply-chain/bill-of-materials.ts'
import { readLockedPackages } from './supply-chain/locked-packages.ts'

const packages = readLockedPackages()
const bill = makeBillOfMaterials(packages)
const errors = findErrors(bill, packages)
const path = '.cache/sbom.cdx.json'
mkdirSync(`${root}.cache`, { recursive: true })
writeFileSync(root + path, `${JSON.stringify(bill, null, 2)}\n`)
for (const error of errors) process.stderr.write(`${error}\n`)
process.stdout.write(`${path}: ${bill.components.length} components, ${errors.length} errors\n`)
process.exitCode = errors.length > 0 ? 1 : 0
