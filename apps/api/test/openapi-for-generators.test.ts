import {
  internalApiDocument,
  internalBase,
  internalRoutes,
  openApiDocument,
  publicRoutes,
} from '@hosting/api'
import { eventTypes } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { useApi } from '../../../test/support/api.ts'
import { isPortable } from '../src/api/openapi/published-schema.ts'

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly security: readonly Json[]
  readonly parameters: readonly { readonly name: string; readonly schema: Json }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
  readonly callbacks?: Readonly<Record<string, Readonly<Record<string, { post: Operation }>>>>
}

type Content = Readonly<Record<string, { readonly schema: Json }>>

interface Document {
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>
    readonly securitySchemes: Json
  }
}

const publicDocument = openApiDocument(publicRoutes) as unknown as Document
const documents = [
  ['public', publicDocument],
  ['internal', internalApiDocument(internalRoutes, internalBase) as unknown as Document],
] as const

const operationsOf = ({ paths }: Document): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods))

const callbacks = operationsOf(publicDocument).flatMap(({ callbacks: called = {} }) =>
  Object.entries(called),
)

/** Every schema in a value, with those inside it; `properties` are no schema. */
function schemasIn(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(schemasIn)
  if (typeof value !== 'object' || value === null) return []
  const { properties, example: _example, 'x-extensible-enum': _known, ...others } = value as Json
  const inner = [
    ...Object.values((properties ?? {}) as Json).flatMap(schemasIn),
    ...Object.values(others).flatMap(schemasIn),
  ]
  return [value as Json, ...inner]
}

/** The schemas to which others lead, by references. */
function reachable(document: Document, from: unknown, seen = new Set<string>()): Json[] {
  return schemasIn(from).flatMap((schema) => {
    const name = (schema['$ref'] as string | undefined)?.split('/components/schemas/')[1]
    if (name === undefined || seen.has(name)) return [schema]
    seen.add(name)
    return [schema, ...reachable(document, document.components.schemas[name], seen)]
  })
}

const responsesOf = (document: Document): Json[] =>
  reachable(document, [operationsOf(document).map(({ responses }) => responses), callbacks])

const requestsOf = (document: Document): Json[] =>
  reachable(
    document,
    operationsOf(document).map(({ requestBody }) => requestBody),
  )

const describesObject = ({ type, properties }: Json): boolean =>
  [type].flat().includes('object') || properties !== undefined

describe.each(documents)('the %s document, as generators read it', (_name, document) => {
  test('every pattern means the same for all of them', () => {
    const patterns = schemasIn(document).flatMap(({ pattern }) => pattern ?? [])
    expect(patterns.length).toBeGreaterThan(0)
    expect(patterns.filter((pattern) => !isPortable(pattern as string))).toEqual([])
  })

  test('every constant and enumerated value has a type, with null where it can be null', () => {
    const listed = schemasIn(document).filter((schema) => 'enum' in schema || 'const' in schema)
    expect(listed.length).toBeGreaterThan(0)
    for (const { type, enum: values, const: value } of listed) {
      const types = ((values ?? [value]) as unknown[]).map((each) =>
        each === null ? 'null' : typeof each,
      )
      expect(new Set([type].flat())).toEqual(new Set(types))
    }
  })

  test('responses are open: further members and values are valid', () => {
    const schemas = responsesOf(document)
    const objects = schemas.filter(describesObject)
    expect(objects.length).toBeGreaterThan(10)
    for (const schema of objects) {
      expect([true, 'object']).toContain(
        schema['additionalProperties'] === true || typeof schema['additionalProperties'],
      )
    }
    expect(schemas.filter((schema) => 'enum' in schema)).toEqual([])
    for (const { 'x-extensible-enum': known, description } of schemas) {
      for (const value of (known ?? []) as string[]) expect(description).toContain(`\`${value}\``)
    }
  })

  test('requests stay closed', () => {
    const objects = requestsOf(document).filter(({ properties }) => properties !== undefined)
    const open = objects.filter((schema) => schema['additionalProperties'] !== false)
    // What browsers return for passkeys, the events of the platform, and the token exchange may have more members.
    expect(open.length).toBeLessThan(objects.length / 2)
    expect(schemasIn(requestsOf(document)).filter((schema) => 'anyOf' in schema)).toEqual([])
  })

  test('a change has no defaults, which a generated client would send', () => {
    for (const methods of Object.values(document.paths)) {
      const change = methods['patch']?.requestBody
      expect(
        reachable(document, change).filter((schema) => schema['default'] !== undefined),
      ).toEqual([])
    }
  })

  test('every success of an operation has the same schema', () => {
    for (const { responses } of operationsOf(document)) {
      const schemas = Object.entries(responses).flatMap(([status, { content }]) =>
        status < '3' && content ? [JSON.stringify(Object.values(content)[0]!.schema)] : [],
      )
      expect(new Set(schemas).size).toBeLessThanOrEqual(1)
    }
  })

  /** Texts of exports, which no client needs a type for. */
  const files = new Set(['text/csv', 'application/jsonl'])

  test('bodies, results and problems are components, whose names collide with nothing', () => {
    const { schemas, securitySchemes } = document.components
    const operations = operationsOf(document)
    const contents = operations.flatMap(({ requestBody, responses }) => [
      requestBody?.content,
      ...Object.values(responses).map((response) => response.content),
    ])
    const typed = contents.flatMap((content) =>
      Object.entries(content ?? {}).filter(([mediaType]) => !files.has(mediaType)),
    )
    for (const [, { schema }] of typed) expect(Object.keys(schema)).toEqual(['$ref'])
    const names = Object.keys(schemas).map((name) => name.toLowerCase())
    const taken = operations.flatMap(({ operationId }) => {
      const id = operationId.replace(/[^A-Za-z]/g, '').toLowerCase()
      return [id, `${id}request`, `${id}response`, `${id}params`, `${id}jsonbody`, `${id}data`]
    })
    const schemes = Object.keys(securitySchemes).map((name) => name.toLowerCase())
    expect(names.filter((name) => [...taken, ...schemes].includes(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
    for (const name of Object.keys(schemas)) expect(name).toMatch(/^[A-Z][A-Za-z]+$/)
  })

  test('every tag is listed, and every operation states its credentials', () => {
    const listed = document.tags.map(({ name }) => name)
    const operations = operationsOf(document)
    const used = operations.flatMap(({ tags }) => tags)
    const called = callbacks.flatMap(([, path]) => Object.values(path)).map(({ post }) => post)
    for (const tag of used) expect(listed).toContain(tag)
    for (const { tags } of called) expect(used).not.toContain(tags[0])
    for (const { security } of [...operations, ...called]) expect(security).toBeInstanceOf(Array)
  })

  test('the URL of the server is absolute', () => {
    for (const { url } of document.servers) expect(URL.canParse(url)).toBe(true)
  })
})

test('events are callbacks of POST /webhooks, with their four headers', () => {
  expect(callbacks.map(([name]) => name)).toEqual([...eventTypes.keys()])
  for (const [, path] of callbacks) {
    expect(Object.keys(path)).toEqual(['{$request.body#/url}'])
    const [{ post }] = Object.values(path) as [{ post: Operation }]
    expect(post.parameters.map(({ name }) => name)).toEqual([
      'Service-Event',
      'Service-Delivery',
      'Service-Timestamp',
      'Service-Signature',
    ])
    expect(JSON.stringify(post.requestBody!.content)).toMatch(/#\/components\/schemas\/\w+Event"/)
  }
  expect(publicDocument).not.toHaveProperty('webhooks')
})

test.each([
  ['^[a-z2-7]{12}$', true],
  ['^(?:a|b\\.c)+$', true],
  ['^[^@]+@x$', true],
  ['\\p{L}', false],
  ['(?!a)b', false],
  ['(?<name>a)', false],
  ['[\\u0000]', false],
  ['ä', false],
  ['\\d+', false],
  ['[\\w-]', false],
  ['a+?', false],
  ['(a)\\1', false],
  ['.', false],
  ['a{2000}', false],
])('the pattern %s means the same everywhere: %s', (pattern, expected) => {
  expect(isPortable(pattern)).toBe(expected)
})

const api = useApi()
const ajv = addFormats.default(new Ajv2020({ strict: false, validateSchema: false }))
ajv.addSchema(publicDocument, 'public')

const bodies: readonly (readonly [
  path: '/webhooks' | '/api-keys',
  schema: string,
  body: object,
])[] = [
  ...[
    'https://prod-12.westeurope.logic.azure.com:443/x?sp=%2Ftriggers',
    'https://hooks.example.com:44300/in',
    'https://my_app.example.com/',
    'https://hooks.example.com/a%20b?q=a+b',
    'https://xn--e1afmkfd.xn--p1ai/',
    'https://hooks.example.com/a@b;c=d,(e)|f',
    'https://hooks.example.com/ä',
  ].map((url) => ['/webhooks', 'WebhooksCreateBody', { url, events: ['*'] }] as const),
  ...['CI', 'Ärger 日本語', "O'Neill (1)", '👩‍💻 laptop'].map(
    (name) => ['/api-keys', 'ApiKeysCreateBody', { name, scopes: ['webhooks:read'] }] as const,
  ),
  ...['2001:db8::1:0:0/96', '::/0', '2001:DB8::/32', '192.0.2.1', '::1'].map(
    (entry) =>
      [
        '/api-keys',
        'ApiKeysCreateBody',
        { name: 'CI', scopes: ['webhooks:read'], ip_allowlist: [entry] },
      ] as const,
  ),
]

test.each(bodies)('what POST %s accepts is valid as %s: %j', async (path, schema, body) => {
  const { token } = await api.makeAdmin()
  const { status } = await api.call('post', path, { token, body })
  expect(status).toBe(201)
  expect(ajv.validate({ $ref: `public#/components/schemas/${schema}` }, body)).toBe(true)
})
