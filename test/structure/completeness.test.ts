import { internalRoutes, oauthRoutes, problemsOf, publicRoutes, type Route } from '@hosting/api'
import { settings, type Setting } from '@hosting/core/configuration'
import { problemCatalog } from '@hosting/core/problems'
import { describe, expect, test } from '@jest/globals'
import { existsSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { readSources } from './sources.ts'

const routes = [...publicRoutes, ...internalRoutes, ...oauthRoutes] as unknown as readonly Route[]
const codes = Object.keys(problemCatalog)

/** The path of a route's test: `webhooks.create` is tested in `webhooks/create.test.ts`. */
const testFileOf = ({ operationId }: Route): string =>
  `apps/api/test/${operationId.replaceAll('.', '/')}.test.ts`

/** Problems that a listener returns itself, independent of its routes. */
const ofListeners = ['not_found', 'method_not_allowed']

const missingFrom = (text: string, names: readonly string[]): string[] =>
  names.filter((name) => !new RegExp(`(^|[^\\w])${name}([^\\w]|$)`).test(text))

describe('routes', () => {
  test('every route has a test file', () => {
    const missing = routes.map(testFileOf).filter((path) => !existsSync(root + path))
    expect(missing).toEqual([])
  })

  test('every operation id is unique', () => {
    expect(new Set(routes.map(({ operationId }) => operationId)).size).toBe(routes.length)
  })
})

describe('problem codes', () => {
  test('every code is returned by a route or a listener', () => {
    const used = new Set<string>([...routes.flatMap(problemsOf), ...ofListeners])
    expect(codes.filter((code) => !used.has(code))).toEqual([])
  })

  test('every code is asserted by a test', async () => {
    const tests = await readSources('{apps,packages,test}/**/*.test.ts')
    const text = tests
      .filter(({ path }) => !path.startsWith('test/structure/'))
      .map((source) => source.text)
      .join('\n')
    expect(missingFrom(text, codes)).toEqual([])
  })
})

test('every generated document is in docs/generated, apart from those that people edit', async () => {
  const documents = await readSources('docs/**/*.{json,md}')
  const misplaced = documents.filter(({ path, text }) => {
    const isGenerated = path.endsWith('.json') || text.startsWith('<!-- Made by `npm run generate`')
    return isGenerated !== path.startsWith('docs/generated/')
  })
  expect(misplaced.map(({ path }) => path)).toEqual([])
})

describe('a setting that only one process reads', () => {
  const limited = Object.entries<Setting<unknown>>(settings).filter(([, { readBy }]) => readBy)
  const sourcesOf = async (process: string): Promise<string> => {
    const sources = await readSources(`apps/${process}/src/**/*.{ts,tsx}`)
    return sources.map(({ text }) => text).join('\n')
  }

  test('is not used in the code of the other', async () => {
    const texts = { api: await sourcesOf('api'), worker: await sourcesOf('worker') }
    expect(limited.length).toBeGreaterThan(15)
    for (const other of ['api', 'worker'] as const) {
      const names = limited.filter(([, { readBy }]) => readBy !== other).map(([name]) => name)
      expect(names.filter((name) => new RegExp(`\\b${name}\\b`).test(texts[other]))).toEqual([])
    }
    expect(texts.worker).toMatch(/\bsmtpUrl\b/)
  })
})
