import { describe, expect, test } from '@jest/globals'
import { readSources, type Source } from './sources.ts'

/** The allowed imports (ARCHITECTURE.md) of each workspace: our packages, Node's modules and npm packages. */
const rules: Readonly<Record<string, { ours: readonly string[]; outside: RegExp }>> = {
  'packages/core': { ours: [], outside: /^(node:(crypto|net|util|zlib)|ipaddr\.js|jose)$/ },
  'packages/postgres': {
    ours: ['core'],
    outside: /^(node:(crypto|events|fs|timers\/promises)|pg|@prisma\/.*)$/,
  },
  'packages/redis': { ours: ['core'], outside: /^(node:timers\/promises|bullmq|ioredis)$/ },
  'packages/process': {
    ours: ['core'],
    outside: /^(node:.*|@opentelemetry\/.*|express|got|helmet|pino|prom-client)$/,
  },
  'packages/html': {
    ours: ['core', 'postgres', 'process', 'redis'],
    outside: /^(node:(crypto|fs|path|zlib)|express|preact-render-to-string)$/,
  },
  'packages/platform-sdk': { ours: ['sdk'], outside: /^(#connection|openapi-fetch)$/ },
  'packages/sdk': { ours: [], outside: /^openapi-fetch$/ },
  'apps/api': {
    ours: ['core', 'html', 'postgres', 'process', 'redis'],
    outside:
      /^(node:.*|@node-rs\/argon2|@opentelemetry\/api|@simplewebauthn\/server|ajv\/.*|express|lru-cache|openid-client|otplib|preact|preact\/hooks|prom-client|qr|typebox)$/,
  },
  'apps/worker': {
    ours: ['core', 'html', 'postgres', 'process', 'redis'],
    outside:
      /^(node:.*|@bull-board\/.*|@opentelemetry\/api|express|nodemailer\/.*|preact|prom-client)$/,
  },
  'apps/cli': {
    ours: ['core', 'sdk'],
    outside:
      /^(node:.*|@clack\/prompts|@michaelhomer\/jqjs|@modelcontextprotocol\/sdk\/.*|ajv\/.*|commander|open|qr|yaml)$/,
  },
}

/** Imports of values: type imports have no effect at run time. */
const valueImports = /^\s*(?:import|export)\s+(?!type\b)(?:[^'";]*?\bfrom\s+)?'([^']+)'/gm

function violationsOf({ path, text }: Source): string[] {
  const [kind, name] = path.split('/')
  const workspace = `${kind}/${name}`
  const rule = rules[workspace]
  if (!rule) return [`${path} is in a workspace without a rule`]
  return [...text.matchAll(valueImports)]
    .map((match) => match[1]!)
    .filter((specifier) => !isAllowed(specifier, path, rule))
    .map((specifier) => `${path} imports ${specifier}`)
}

function isAllowed(
  specifier: string,
  path: string,
  { ours, outside }: (typeof rules)[string],
): boolean {
  if (specifier.startsWith('.')) {
    const target = new URL(specifier, `file:///${path}`).pathname.slice(1)
    return target.startsWith(path.split('/').slice(0, 3).join('/') + '/')
  }
  const own = /^@hosting\/([^/]+)/.exec(specifier)?.[1]
  return own === undefined ? outside.test(specifier) : ours.includes(own)
}

describe('imports', () => {
  test('every workspace imports only what its rule allows', async () => {
    const sources = await readSources('{apps,packages}/*/src/**/*.{ts,tsx}')
    expect(sources.length).toBeGreaterThan(80)
    expect(sources.flatMap(violationsOf)).toEqual([])
  })
})

test('no file of sources, tests or styles is longer than 300 lines', async () => {
  const sources = await readSources(
    '{apps,packages,tools,test,bench,deploy,docs,prisma}/**/*.{ts,tsx,mjs,js,css,py}',
  )
  const long = sources.filter(({ text }) => text.trimEnd().split('\n').length > 300)
  expect(long.map(({ path }) => path)).toEqual([])
})

/** Reads the machine's clock instead of the database's; spans of a trace are compared with those of other programs. */
const localTime = /\bnew Date\(\)|\bDate\.now\(\)/
const mayTakeLocalTime = [
  'apps/worker/src/delivery/make-attempt.ts',
  'packages/core/src/clock/clock.ts',
]

test("the service uses the database's clock, not the machine's", async () => {
  const sources = await readSources(
    '{apps/{api,worker},packages/{core,postgres,process,redis}}/src/**/*.{ts,tsx}',
  )
  const local = sources.filter(({ text }) => localTime.test(text)).map(({ path }) => path)
  expect(local).toEqual(mayTakeLocalTime)
})
