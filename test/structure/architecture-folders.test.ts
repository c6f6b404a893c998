import { describe, expect, test } from '@jest/globals'
import { readSources, type Source } from './sources.ts'

/** A folder of an app, or a file that other folders import, and what it may import. */
type Layers = Readonly<Record<string, readonly string[]>>

/**
 * The folders of each app, in layers: a folder may import only folders above it in this list, so there are no
 * import cycles. Type imports count. The files in `src` itself wire the folders together and may import all of them.
 */
const layersByApp: Readonly<Record<string, Layers>> = {
  'apps/api': {
    'assets.ts': [],
    'brand.ts': [],
    'highlight.ts': [],
    'metrics.ts': [],
    'api/response.ts': [],
    'api/work.ts': [],
    'api/schemas': [],
    'api/gate': [],
    'api/passwords': [],
    'api/event-streams': [],
    'api/issuers': [],
    'api/publishing': ['api/event-streams', 'api/work.ts'],
    'api/services.ts': [
      'api/event-streams',
      'api/gate',
      'api/issuers',
      'api/publishing',
      'brand.ts',
      'metrics.ts',
    ],
    'api/records': ['api/schemas'],
    'api/access': ['api/gate', 'api/passwords', 'api/response.ts', 'api/services.ts'],
    'api/use-cases': [
      'api/access',
      'api/event-streams',
      'api/gate',
      'api/issuers',
      'api/passwords',
      'api/publishing',
      'api/records',
      'api/response.ts',
      'api/schemas',
      'api/services.ts',
      'api/work.ts',
    ],
    'api/routes': [
      'api/access',
      'api/records',
      'api/response.ts',
      'api/schemas',
      'api/services.ts',
      'api/use-cases',
      'api/work.ts',
    ],
    'api/http': [
      'api/access',
      'api/response.ts',
      'api/routes',
      'api/schemas',
      'api/services.ts',
      'api/work.ts',
      'metrics.ts',
    ],
    'api/internal': [
      'api/access',
      'api/http',
      'api/records',
      'api/routes',
      'api/schemas',
      'api/use-cases',
    ],
    'api/openapi': ['api/access', 'api/http', 'api/routes', 'api/schemas'],
    // The one exception: what the panel needs of use cases, because no route has it.
    'api/for-pages.ts': ['api/issuers', 'api/records', 'api/use-cases'],
    panel: [
      'api/access',
      'api/for-pages.ts',
      'api/http',
      'api/response.ts',
      'api/routes',
      'api/schemas',
      'api/services.ts',
      'assets.ts',
      'highlight.ts',
    ],
    docs: [
      'api/access',
      'api/http',
      'api/routes',
      'api/schemas',
      'api/services.ts',
      'assets.ts',
      'brand.ts',
      'highlight.ts',
      'panel',
    ],
  },
  'apps/worker': {
    'standby-metrics.ts': [],
    delivery: [],
    mail: [],
    duties: ['delivery', 'mail', 'standby-metrics.ts'],
    operators: [],
  },
}

/** The type of the wired worker, which its folders receive: they may import this type, and nothing else of its file. */
const services = 'apps/worker/src/services.ts'

/** Static and dynamic imports, exports and import types of the app's own files. */
const relativeImports = /\b(?:import|export)\b(\s+type\b)?(?:[^'";=]*?\bfrom)?\s*\(?\s*'(\.[^']+)'/g

function violationsOf({ path, text }: Source): string[] {
  const app = path.split('/').slice(0, 2).join('/')
  const layers = layersByApp[app]!
  const file = path.slice(`${app}/src/`.length)
  const from = layerOf(file, layers)
  if (from === undefined) return file.includes('/') ? [`${path} is in a folder without a rule`] : []
  return [...text.matchAll(relativeImports)]
    .map(([, type, specifier]) => ({
      isType: type !== undefined,
      target: new URL(specifier!, `file:///${file}`).pathname.slice(1),
    }))
    .filter(({ isType, target }) => {
      if (`${app}/src/${target}` === services) return !isType
      const to = layerOf(target, layers)
      return to !== from && (to === undefined || !layers[from]!.includes(to))
    })
    .map(({ target }) => `${path} imports ${target}`)
}

/** The layer of a file: the file itself, or the folder that the table has. */
const layerOf = (file: string, layers: Layers): string | undefined =>
  Object.keys(layers).find((name) => file === name || file.startsWith(`${name}/`))

describe('folders of the apps', () => {
  test('import only what their rule allows', async () => {
    const sources = await readSources('apps/{api,worker}/src/**/*.{ts,tsx}')
    expect(sources.length).toBeGreaterThan(200)
    expect(sources.flatMap(violationsOf)).toEqual([])
  })

  test('of pages read no database', async () => {
    const pages = await readSources('apps/api/src/{panel,docs}/**/*.{ts,tsx}')
    expect(pages.length).toBeGreaterThan(150)
    const reading = pages.filter(({ text }) => text.includes("'@hosting/postgres"))
    expect(reading.map(({ path }) => path)).toEqual([])
  })

  test('of use cases name the services that they need, not all', async () => {
    const sources = await readSources('apps/api/src/api/{access,use-cases}/*.ts')
    const whole = sources.filter(({ text }) => /:\s*Services\b(?!\[)/.test(text))
    expect(whole.map(({ path }) => path)).toEqual([])
    expect(sources.filter(({ text }) => text.includes('Needs<')).length).toBeGreaterThan(40)
  })

  test.each(Object.entries(layersByApp))('of %s have no circular imports', (_, layers) => {
    const order = Object.keys(layers)
    const back = order.flatMap((name, index) =>
      layers[name]!.filter((other) => !order.slice(0, index).includes(other)),
    )
    expect(back).toEqual([])
  })
})

/** Folders of packages/postgres/src besides those that packages/core names: what only a database has. */
const foldersOfDatabase = new Set(['database', 'deliveries', 'generated', 'operators', 'retention'])

describe('folders of packages/postgres', () => {
  test('have the same names as those of packages/core, and there are no files beside them', async () => {
    const foldersOf = async (pattern: string) =>
      (await readSources(pattern)).map(({ path }) => path.split('/src/')[1]!.split('/')[0]!)
    const known = await foldersOf('packages/core/src/*/*.ts')
    const found = new Set(await foldersOf('packages/postgres/src/**/*.ts'))
    const other = [...found].filter((name) => !known.includes(name))
    expect(other.filter((name) => !foldersOfDatabase.has(name))).toEqual([])
  })
})
