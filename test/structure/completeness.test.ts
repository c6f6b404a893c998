import { internalRoutes, problemsOf, publicRoutes, type Route } from '@hosting/api'
import { problemCatalog, settings } from '@hosting/core'
import { describe, expect, test } from '@jest/globals'
import { existsSync, readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { readSources } from './sources.ts'

const routes = [...publicRoutes, ...internalRoutes] as unknown as readonly Route[]
const codes = Object.keys(problemCatalog)

/** The path of a route's test: `webhooks.create` is tested in `webhooks/create.test.ts`. */
const testFileOf = ({ operationId }: Pick<Route, 'operationId'>): string =>
  `apps/api/test/${operationId.replaceAll('.', '/')}.test.ts`

const withoutTest = (
  of: readonly Pick<Route, 'operationId'>[],
  exists: (path: string) => boolean,
) => of.filter((route) => !exists(testFileOf(route))).map(({ operationId }) => operationId)

/** Problems that a listener returns itself, independent of its routes. */
const ofListeners = ['not_found', 'method_not_allowed']

const unusedBy = (of: readonly Route[], catalog: readonly string[]): string[] => {
  const used = new Set<string>([...of.flatMap(problemsOf), ...ofListeners])
  return catalog.filter((code) => !used.has(code))
}

const missingFrom = (text: string, names: readonly string[]): string[] =>
  names.filter((name) => !new RegExp(`(^|[^\\w])${name}([^\\w]|$)`).test(text))

describe('routes', () => {
  test('every route has a test file', () => {
    expect(withoutTest(routes, (path) => existsSync(root + path))).toEqual([])
  })

  test('a route without one is detected', () => {
    expect(withoutTest([{ operationId: 'webhooks.forgotten' }], () => false)).toEqual([
      'webhooks.forgotten',
    ])
  })

  test('every operation id is unique', () => {
    expect(new Set(routes.map(({ operationId }) => operationId)).size).toBe(routes.length)
  })
})

describe('problem codes', () => {
  test('every code is returned by a route or a listener', () => {
    expect(unusedBy(routes, codes)).toEqual([])
  })

  test('a code that nothing returns is detected', () => {
    expect(unusedBy(routes, [...codes, 'imaginary'])).toEqual(['imaginary'])
  })

  test('every code is asserted by a test', async () => {
    const tests = await readSources('{apps,packages,test}/**/*.test.ts')
    const text = tests
      .filter(({ path }) => !path.startsWith('test/structure/'))
      .map((source) => source.text)
      .join('\n')
    expect(missingFrom(text, codes)).toEqual([])
    expect(missingFrom(text, ['imaginary_code'])).toEqual(['imaginary_code'])
  })

  test('every code is documented', () => {
    const text = readFileSync(`${root}docs/problems.md`, 'utf8')
    expect(
      missingFrom(
        text,
        codes.map((code) => `## ${code}`),
      ),
    ).toEqual([])
    expect(missingFrom(text, ['## imaginary'])).toEqual(['## imaginary'])
  })
})

test('every setting is documented', () => {
  const text = readFileSync(`${root}docs/configuration.md`, 'utf8')
  const variables = Object.values(settings).map(({ variable }) => variable)
  expect(missingFrom(text, variables)).toEqual([])
  expect(missingFrom(text, ['IMAGINARY'])).toEqual(['IMAGINARY'])
})
