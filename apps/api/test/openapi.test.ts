import { errorMediaType, isSessionOnly, problemsOf, publicRoutes, type Route } from '@hosting/api'
import { publicUrlOf } from '@hosting/core/configuration'
import { problemCatalog } from '@hosting/core/problems'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import request from 'supertest'
import { useApi } from '../../../test/support/api.ts'
import { testConfig } from '../../../test/support/environment.ts'

const api = useApi()

type Json = Record<string, unknown>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Json
}

interface Operation {
  readonly operationId: string
  readonly tags: string[]
  readonly summary: string
  readonly security?: Record<string, string[]>[]
  readonly 'x-permission'?: string
  readonly 'x-scope'?: string
  readonly parameters: Parameter[]
  readonly requestBody?: { required: boolean; content: Record<string, { schema: Json }> }
  readonly responses: Record<
    string,
    { description: string; content?: Record<string, { schema: Json }> }
  >
}

interface OpenApi {
  readonly openapi: string
  readonly info: { title: string; version: string }
  readonly servers: { url: string }[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { securitySchemes: Record<string, Json>; schemas: Record<string, Json> }
}

let document: OpenApi
let operations: { path: string; method: string; operation: Operation }[]

beforeAll(async () => {
  document = (await request(api.url).get('/api/v1/openapi.json')).body as OpenApi
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
})

/** Every object of a JSON value that has a member. */
function findAll(value: unknown, member: string): Json[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap((each) => findAll(each, member))
  return Object.hasOwn(value, member) ? [value as Json, ...inner] : inner
}

/** The schema that a reference names, or the schema itself. */
const resolve = (schema: Json): Json =>
  typeof schema['$ref'] === 'string'
    ? document.components.schemas[schema['$ref'].replace('#/components/schemas/', '')]!
    : schema

const routeOf = (operationId: string): Route =>
  (publicRoutes as readonly Route<never>[] as readonly Route[]).find(
    (route) => route.operationId === operationId,
  )!

describe('GET /api/v1/openapi.json', () => {
  test('200 as JSON, without credentials and with invalid ones', async () => {
    for (const authorization of [undefined, 'Bearer nonsense']) {
      const call = request(api.url).get('/api/v1/openapi.json')
      const { status, headers } = await (authorization ? call.set({ authorization }) : call)
      expect(status).toBe(200)
      expect(headers['content-type']).toBe('application/json')
      expect(headers['cache-control']).toBe('no-store')
    }
  })

  test('is OpenAPI 3.1 and states its server URL', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
    expect(document.servers.map(({ url }) => url)).toEqual([`${publicUrlOf(testConfig())}/api/v1`])
    expect(Object.keys(document).toSorted()).toEqual([
      'components',
      'info',
      'openapi',
      'paths',
      'servers',
      'tags',
    ])
  })

  test('contains every route exactly once', () => {
    const ofTable = publicRoutes.map(
      ({ operationId, method, path }) =>
        `${operationId}: ${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    )
    const ofDocument = operations.map(
      ({ operation, method, path }) => `${operation.operationId}: ${method.toUpperCase()} ${path}`,
    )
    expect(ofDocument.toSorted()).toEqual(ofTable.toSorted())
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(
      publicRoutes.length,
    )
  })

  test('every path uses OpenAPI syntax and declares its parameters', () => {
    for (const { path, operation } of operations) {
      expect(path).toMatch(/^(\/([a-z0-9-]+|\{\w+\}))+$/)
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path')
      expect(declared.map(({ name }) => name)).toEqual(named)
      expect(declared.every(({ required }) => required)).toBe(true)
    }
  })

  test('every parameter has a schema and a unique name', () => {
    for (const { operation } of operations) {
      const names = operation.parameters.map(({ name, in: place }) => `${place} ${name}`)
      expect(new Set(names).size).toBe(names.length)
      for (const parameter of operation.parameters) {
        expect(['path', 'query', 'header']).toContain(parameter.in)
        expect(typeof parameter.required).toBe('boolean')
        expect(parameter.schema).toHaveProperty('type')
      }
    }
  })

  test('every reference resolves', () => {
    const references = findAll(document, '$ref').map(({ $ref }) => String($ref))
    expect(references.length).toBeGreaterThan(0)
    for (const reference of references) {
      const steps = reference.replace(/^#\//, '').split('/')
      const target = steps.reduce<unknown>((value, step) => (value as Json)?.[step], document)
      expect([reference, typeof target]).toEqual([reference, 'object'])
    }
  })

  test('every schema is valid JSON Schema 2020-12', () => {
    const ajv = addFormats.default(new Ajv2020({ strict: true, strictTypes: false }))
    ajv.addVocabulary(['components', 'x-extensible-enum'])
    const schemas = findAll(operations, 'schema').map(({ schema }) => schema as Json)
    expect(schemas.length).toBeGreaterThan(publicRoutes.length)
    for (const schema of schemas) {
      const whole = { ...schema, components: document.components }
      expect(() => ajv.compile(whole)).not.toThrow()
    }
  })

  test('every body is JSON and rejects unknown members, except those that standard OAuth clients send', () => {
    const withForms = operations.filter(({ operation: { requestBody } }) =>
      Object.hasOwn(requestBody?.content ?? {}, 'application/x-www-form-urlencoded'),
    )
    expect(withForms.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      'auth.revoke',
      'auth.token',
    ])
    const bodies = operations.flatMap(({ operation }) =>
      operation.operationId === 'auth.token' ? [] : (operation.requestBody ?? []),
    )
    expect(bodies.length).toBeGreaterThan(0)
    for (const { content } of bodies) {
      expect(Object.keys(content)[0]).toBe('application/json')
      const schema = resolve(content['application/json']!.schema)
      const alternatives = (schema['oneOf'] ?? [schema]) as Json[]
      for (const alternative of alternatives.map(resolve)) {
        expect(alternative).toMatchObject({ type: 'object', additionalProperties: false })
      }
    }
  })

  test('every operation describes its responses and their schemas', () => {
    for (const { operation } of operations) {
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
      const statuses = Object.keys(operation.responses)
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true)
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^[245]\d\d$/)
        expect(description).not.toBe('')
        // An unending response is a stream; everything else is JSON, but for the files of exports.
        const wanted =
          operation.operationId === 'webhooks.listen' ? 'text/event-stream' : 'application/json'
        const { errorFormat, returns } = routeOf(operation.operationId)
        const type = status.startsWith('2') ? wanted : errorMediaType(errorFormat)
        const withoutBody = returns.some((one) => String(one.status) === status && !one.schema)
        const files = returns.flatMap((one) =>
          String(one.status) === status ? (one.files ?? []) : [],
        )
        expect(Object.keys(content ?? {})).toEqual(withoutBody ? [] : [type, ...files])
      }
    }
  })

  test('every problem that a route can return is listed under its status', () => {
    for (const { operation } of operations) {
      const route = routeOf(operation.operationId)
      for (const code of problemsOf(route)) {
        const { content, description } = operation.responses[problemCatalog[code].status]!
        const { schema } = content![errorMediaType(route.errorFormat)]!
        expect(schema).toEqual({ $ref: '#/components/schemas/Problem' })
        expect(description).toContain(`\`${code}\`: `)
      }
    }
  })

  test('every operation states its credentials, its permission and the scope that a key needs', () => {
    expect(document.components.securitySchemes['apiKey']).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    })
    expect(document.components.securitySchemes['session']).toMatchObject({
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-session',
    })
    for (const { operation } of operations) {
      const route = routeOf(operation.operationId)
      const open = route.auth === 'none' || route.auth === 'sign_in'
      const session = route.method === 'GET' ? ['session'] : ['session', 'csrfToken']
      const expected = open ? [] : isSessionOnly(route) ? [session] : [['apiKey'], session]
      expect(operation.security!.map(Object.keys)).toEqual(expected)
    }
    const create = operations.find(({ operation }) => operation.operationId === 'webhooks.create')!
    expect(create.operation).toMatchObject({
      'x-permission': 'webhooks.manage',
      'x-scope': 'webhooks:write',
    })
    const list = operations.find(({ operation }) => operation.operationId === 'webhooks.list')!
    expect(list.operation).toMatchObject({
      'x-permission': 'webhooks.read',
      'x-scope': 'webhooks:read',
    })
  })
})
