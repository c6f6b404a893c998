import { describe, expect, test } from '@jest/globals'
import { readSources } from './sources.ts'

/** The packages that each app may import (test/structure/architecture.test.ts). */
const reach: Readonly<Record<string, string>> = {
  'apps/api': 'packages/{core,html,postgres,process,redis}',
  'apps/worker': 'packages/{core,html,postgres,process,redis}',
  'apps/cli': 'packages/sdk',
}

const declarations =
  /^export (?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm

describe('exported names', () => {
  // An editor's automatic import would otherwise choose between two things.
  test.each(Object.entries(reach))(
    'are declared once within the reach of %s',
    async (app, packages) => {
      const sources = [
        ...(await readSources(`${app}/src/**/*.{ts,tsx}`)),
        ...(await readSources(`${packages}/src/**/*.{ts,tsx}`)),
      ]
      const named = sources.flatMap(({ path, text }) =>
        [...new Set([...text.matchAll(declarations)].map(([, name]) => name!))].map((name) => ({
          name,
          path,
        })),
      )
      const repeated = [...Map.groupBy(named, ({ name }) => name)].filter(
        ([, places]) => places.length > 1,
      )
      expect(named.length).toBeGreaterThan(50)
      expect(repeated.map(([name, places]) => [name, ...places.map(({ path }) => path)])).toEqual(
        [],
      )
    },
  )
})
