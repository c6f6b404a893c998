import { beforeAll, describe, expect, test } from '@jest/globals'
import {
  findFaults,
  makeBillOfMaterials,
  type BillOfMaterials,
} from '../../tools/supply-chain/bill-of-materials.ts'
import { readLockedPackages, type LockedPackage } from '../../tools/supply-chain/locked-packages.ts'
import { findRefused } from '../../tools/supply-chain/refused-licences.ts'

const packages = readLockedPackages()

describe('licences', () => {
  const built = (changes: Partial<LockedPackage>): LockedPackage => ({
    name: 'a',
    version: '1.0.0',
    path: 'node_modules/a',
    isDev: false,
    licence: 'MIT',
    isOfPlatform: false,
    ...changes,
  })
  const refusedOf = (changes: Partial<LockedPackage>, installed?: string) =>
    findRefused([built(changes)], () => installed)

  test.each([
    [{}],
    [{ licence: '(MIT OR GPL-3.0-only)' }],
    [{ licence: 'Apache-2.0 AND MIT' }],
    [{ licence: 'MPL-2.0', isDev: true }],
    [{ name: 'elkjs', version: '0.11.1', licence: 'EPL-2.0' }],
  ])('%j is allowed', (changes) => {
    expect(refusedOf(changes)).toEqual({ refused: [], unknown: 0 })
  })

  test('a licence that only the installed package tells is read there', () => {
    expect(refusedOf({ licence: undefined }, 'ISC').refused).toEqual([])
    expect(refusedOf({ licence: undefined }, 'GPL-3.0-only').refused).toHaveLength(1)
  })

  test.each([
    [{ licence: 'GPL-3.0-only' }],
    [{ licence: 'AGPL-3.0-or-later', isDev: true }],
    [{ licence: 'MIT AND GPL-2.0-only' }],
    [{ licence: 'MPL-2.0' }],
    [{ licence: 'EPL-2.0' }],
    [{ name: 'elkjs', version: '0.11.2', licence: 'EPL-2.0' }],
    [{ name: 'elkjs', version: '0.11.1', licence: 'AGPL-3.0-only' }],
    [{ licence: 'UNLICENSED' }],
    [{ licence: 'SEE LICENSE IN LICENSE.md' }],
    [{ licence: 'Custom' }],
    [{ licence: undefined }],
  ])('%j is not allowed', (changes) => {
    expect(refusedOf(changes).refused).toHaveLength(1)
  })

  test('of what is not installed here, being of another platform, none is known', () => {
    expect(refusedOf({ licence: undefined, isOfPlatform: true })).toEqual({
      refused: [],
      unknown: 1,
    })
  })
})

describe('the bill of materials', () => {
  let bill: BillOfMaterials
  beforeAll(() => {
    bill = makeBillOfMaterials(packages)
  })
  const refs = () => bill.components.map((component) => component['bom-ref'])

  test('is whole, and holds what runs and nothing that only tests', () => {
    expect(findFaults(bill, packages)).toEqual([])
    for (const name of ['express', 'helmet', 'bullmq', 'got', 'pino', '@hosting/api']) {
      expect(refs().some((ref) => ref.startsWith(`${name}@`))).toBe(true)
    }
    for (const name of ['jest', 'oxlint', 'prettier', 'supertest']) {
      expect(refs().some((ref) => ref.startsWith(`${name}@`))).toBe(false)
    }
  })

  test('one that lacks a package, repeats one or is no bill is found out', () => {
    const components = bill.components.filter(({ name }) => name !== 'express')
    expect(findFaults({ ...bill, components }, packages)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^express@.* is installed and missing$/)]),
    )
    const repeated = [...bill.components, bill.components[0]!]
    expect(findFaults({ ...bill, components: repeated }, packages)).toHaveLength(1)
    expect(findFaults({ ...bill, bomFormat: 'SPDX' }, packages)).toHaveLength(1)
    expect(findFaults({ ...bill, serialNumber: '' }, packages)).toHaveLength(1)
  })
})
