import { beforeAll, describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import {
  findErrors,
  makeBillOfMaterials,
  type BillOfMaterials,
} from '../../tools/supply-chain/bill-of-materials.ts'
import { readLockedPackages, type LockedPackage } from '../../tools/supply-chain/locked-packages.ts'
import { findRefused } from '../../tools/supply-chain/refused-licenses.ts'

const packages = readLockedPackages()

describe('licenses', () => {
  const built = (changes: Partial<LockedPackage>): LockedPackage => ({
    name: 'a',
    version: '1.0.0',
    path: 'node_modules/a',
    isDev: false,
    license: 'MIT',
    isOfPlatform: false,
    ...changes,
  })
  const refusedOf = (changes: Partial<LockedPackage>, installed?: string) =>
    findRefused([built(changes)], () => installed)

  test.each([
    [{}],
    [{ license: '(MIT OR GPL-3.0-only)' }],
    [{ license: 'Apache-2.0 AND MIT' }],
    [{ license: 'MPL-2.0', isDev: true }],
    [{ name: 'elkjs', version: '0.11.1', license: 'EPL-2.0' }],
  ])('%j is allowed', (changes) => {
    expect(refusedOf(changes)).toEqual({ refused: [], unknown: 0 })
  })

  test('a license that the lock lacks is read from the installed package', () => {
    expect(refusedOf({ license: undefined }, 'ISC').refused).toEqual([])
    expect(refusedOf({ license: undefined }, 'GPL-3.0-only').refused).toHaveLength(1)
  })

  test.each([
    [{ license: 'GPL-3.0-only' }],
    [{ license: 'AGPL-3.0-or-later', isDev: true }],
    [{ license: 'MIT AND GPL-2.0-only' }],
    [{ license: 'MPL-2.0' }],
    [{ license: 'EPL-2.0' }],
    [{ name: 'elkjs', version: '0.11.2', license: 'EPL-2.0' }],
    [{ name: 'elkjs', version: '0.11.1', license: 'AGPL-3.0-only' }],
    [{ license: 'UNLICENSED' }],
    [{ license: 'SEE LICENSE IN LICENSE.md' }],
    [{ license: 'Custom' }],
    [{ license: undefined }],
  ])('%j is not allowed', (changes) => {
    expect(refusedOf(changes).refused).toHaveLength(1)
  })

  test('the license of a package for another platform is unknown', () => {
    expect(refusedOf({ license: undefined, isOfPlatform: true })).toEqual({
      refused: [],
      unknown: 1,
    })
  })
})

describe('the lock file', () => {
  interface Entry {
    readonly dev?: boolean
    readonly devOptional?: boolean
    readonly link?: boolean
    readonly integrity?: string
    readonly hasInstallScript?: boolean
  }
  const { packages: entries } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
    packages: Readonly<Record<string, Entry>>
  }
  const locked = Object.entries(entries)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, entry]) => ({ name: path.split('node_modules/').at(-1)!, ...entry }))
  /** `devOptional`: installed for development, and an optional peer of a production package. */
  const inProduction = locked.filter(({ dev, devOptional }) => !dev && !devOptional)
  const namesOf = (some: readonly { readonly name: string }[]): string[] =>
    [...new Set(some.map(({ name }) => name))].toSorted()
  const security = readFileSync(`${root}SECURITY.md`, 'utf8')

  test('has an integrity hash for every production package', () => {
    expect(inProduction.length).toBeGreaterThan(100)
    expect(namesOf(inProduction.filter(({ integrity }) => !integrity))).toEqual([])
  })

  test('has no production package with an install script', () => {
    expect(namesOf(inProduction.filter((entry) => entry.hasInstallScript))).toEqual([])
    const peers = locked.filter(
      ({ devOptional, hasInstallScript }) => devOptional && hasInstallScript,
    )
    expect(namesOf(peers)).toEqual(['@prisma/engines', 'prisma'])
  })

  test('lacks the hashes only of the packages that SECURITY.md lists', () => {
    const listed = [...security.matchAll(/^\| `([^`]*\*)` /gm)].map(([, pattern]) => pattern!)
    const isOf = (pattern: string, name: string) => name.startsWith(pattern.slice(0, -1))
    const unhashed = namesOf(locked.filter(({ integrity }) => !integrity))
    expect(unhashed.filter((name) => !listed.some((pattern) => isOf(pattern, name)))).toEqual([])
    expect(listed.filter((pattern) => !unhashed.some((name) => isOf(pattern, name)))).toEqual([])
  })

  test("does not contain msgpackr's native binding", () => {
    expect(namesOf(locked).filter((name) => name.includes('msgpackr-extract'))).toEqual([])
  })
})

describe('the bill of materials', () => {
  let bill: BillOfMaterials
  beforeAll(() => {
    bill = makeBillOfMaterials(packages)
  })
  const refs = () => bill.components.map((component) => component['bom-ref'])

  test('is complete, and contains what runs and no test dependencies', () => {
    expect(findErrors(bill, packages)).toEqual([])
    for (const name of ['express', 'helmet', 'bullmq', 'got', 'pino', '@hosting/api']) {
      expect(refs().some((ref) => ref.startsWith(`${name}@`))).toBe(true)
    }
    for (const name of ['jest', 'oxlint', 'oxfmt', 'supertest']) {
      expect(refs().some((ref) => ref.startsWith(`${name}@`))).toBe(false)
    }
  })
})
