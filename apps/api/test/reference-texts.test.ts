import {
  documentedBodyOf,
  exampleOf,
  internalApiDocument,
  internalBase,
  internalRoutes,
  openApiDocument,
  publicRoutes,
  requestExamplesOf,
  type Extent,
  type Route,
} from '@hosting/api'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { spawnSync } from 'node:child_process'
import { toExact, toExactBody } from '../src/api/openapi/exact-schema.ts'

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly $ref?: string
}

interface Described {
  readonly description?: string
}

interface Operation extends Described {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly (Described & { readonly name: string; readonly schema: Schema })[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Described & { readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface Document {
  readonly info: Described
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes: Readonly<Record<string, Described>>
    readonly headers: Readonly<Record<string, Described>>
  }
}

/** A description is one or more sentences. */
const isDescription = (text: string | undefined): boolean =>
  text !== undefined && /^[A-Z`].{3,}\.$/s.test(text)

const withoutDescription = (name: string, { description }: Described): string[] =>
  isDescription(description) ? [] : [name]

/** The members of a schema that have no description. What is a component has that of the component. */
function membersWithout(name: string, schema: Schema): string[] {
  const members = Object.entries(schema.properties ?? {}).flatMap(([key, member]) => [
    ...(isComponent(member) ? [] : withoutDescription(`${name}.${key}`, member)),
    ...membersWithout(`${name}.${key}`, member),
  ])
  const alternatives = (schema.oneOf ?? []).flatMap((each) => membersWithout(name, each))
  return [...members, ...alternatives, ...(schema.items ? membersWithout(name, schema.items) : [])]
}

const isComponent = ({ $ref, oneOf }: Schema): boolean =>
  $ref !== undefined || oneOf?.[0]?.$ref !== undefined

const contentWithout = (name: string, content: Content = {}): string[] =>
  Object.values(content).flatMap(({ schema }) => membersWithout(name, schema))

function operationWithout(operation: Operation): string[] {
  const { operationId, summary = '', parameters = [], requestBody, responses } = operation
  return [
    ...(/^[A-Z].*[^.]$/.test(summary) ? [] : [`summary of ${operationId}`]),
    ...withoutDescription(operationId, operation),
    ...parameters.flatMap((parameter) =>
      withoutDescription(`${operationId} parameter ${parameter.name}`, parameter),
    ),
    ...contentWithout(`${operationId} body`, requestBody?.content),
    ...Object.entries(responses).flatMap(([status, response]) => [
      ...withoutDescription(`${operationId} ${status}`, response),
      ...contentWithout(`${operationId} ${status}`, response.content),
    ]),
  ]
}

/** Everything of a document that has no description. */
const undescribedOf = ({ info, paths, components }: Document): string[] => [
  ...withoutDescription('info', info),
  ...[components.securitySchemes, components.headers].flatMap((described) =>
    Object.entries(described).flatMap(([name, each]) => withoutDescription(name, each)),
  ),
  ...Object.entries(components.schemas).flatMap(([name, schema]) => [
    ...withoutDescription(name, schema),
    // The names of an event's data say what they are; its description is that of the event type.
    ...membersWithout(name, schema).filter((member) => !/^\w+Event\.data\./.test(member)),
  ]),
  ...Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(operationWithout)),
]

const documents = [
  ['public', openApiDocument(publicRoutes)],
  ['internal', internalApiDocument(internalRoutes, internalBase)],
] as unknown as readonly (readonly [string, Document])[]

describe('the OpenAPI documents', () => {
  test.each(documents)(
    'the %s document describes every operation, parameter, header, response and member',
    (_name, document) => {
      expect(undescribedOf(document)).toEqual([])
    },
  )

  test('the check detects a missing description', () => {
    const operation: Operation = {
      operationId: 'x.get',
      summary: 'Get x',
      description: 'Returns one x.',
      parameters: [{ name: 'id', schema: {} }],
      responses: {
        200: {
          description: 'The x.',
          content: {
            'application/json': {
              schema: { properties: { x: { items: { properties: { y: { description: '–' } } } } } },
            },
          },
        },
        404: {},
      },
    }
    expect(operationWithout(operation)).toEqual([
      'x.get parameter id',
      'x.get 200.x',
      'x.get 200.x.y',
      'x.get 404',
    ])
    expect(operationWithout({ operationId: 'x', summary: 'Get x.', responses: {} })).toEqual([
      'summary of x',
      'x',
    ])
  })
})

const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
const extents: readonly Extent[] = ['required', 'all']
const routes = [...publicRoutes, ...internalRoutes] as readonly Route<never>[] as readonly Route[]

const errorsOf = (schema: object, value: unknown): string[] =>
  ajv.validate(schema, value) ? [] : [`${JSON.stringify(value)} ${ajv.errorsText()}`]

describe('the examples of the reference', () => {
  test.each(routes.map((route) => [route.operationId, route] as const))(
    'are valid for the request of %s',
    (_id, route) => {
      const parts = [
        [route.params, toExact],
        [route.query, toExact],
        [documentedBodyOf(route), toExactBody],
      ] as const
      const errors = parts.flatMap(([schema, publish]) =>
        schema
          ? extents.flatMap((extent) =>
              errorsOf(publish(schema) as object, exampleOf(schema, extent)),
            )
          : [],
      )
      expect(errors).toEqual([])
    },
  )

  test.each(routes.map((route) => [route.operationId, route] as const))(
    'are valid for the responses of %s',
    (id, { returns }) => {
      for (const { status, schema } of returns) {
        const isRevokedByForm = id === 'auth.revoke' && status === 200
        expect(schema === undefined).toBe(status === 204 || isRevokedByForm)
        if (!schema) continue
        expect(errorsOf(toExact(schema) as object, exampleOf(schema, 'all'))).toEqual([])
      }
    },
  )

  test('show every operation in curl, TypeScript and Python', () => {
    const api = { base: '/base', urlVariable: 'URL', tokenVariable: 'TOKEN', problemsAt: '#' }
    for (const route of routes) {
      const examples = requestExamplesOf(route, api)
      expect(examples.map(({ language }) => language)).toEqual(['curl', 'TypeScript', 'Python'])
      for (const { code } of examples) expect(code).not.toMatch(/undefined|\[object/)
    }
  })

  test.each([
    ['curl', 'sh', ['-n']],
    ['Python', 'python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())']],
  ])('have valid syntax in %s', (language, command, args) => {
    if (spawnSync(command, ['-c', '']).error) return
    const api = { base: '/base', urlVariable: 'URL', tokenVariable: 'TOKEN', problemsAt: '#' }
    const code = routes.map(
      (route) => requestExamplesOf(route, api).find((each) => each.language === language)!.code,
    )
    const { status, stderr } = spawnSync(command, args, { input: code.join('\n') })
    expect([status, String(stderr)]).toEqual([0, ''])
  })

  test('read a stream incrementally', () => {
    const api = { base: '/base', urlVariable: 'URL', tokenVariable: 'TOKEN', problemsAt: '#' }
    const listen = routes.find(({ operationId }) => operationId === 'webhooks.listen')!
    const [curl, , python] = requestExamplesOf(listen, api)
    expect(curl!.code).toContain('curl -N ')
    expect(python!.code).toContain('for item in client.listen():')
  })
})
