import type { ProblemCode } from '@hosting/core/problems'
import type { Components, Named } from './components.ts'
import { toExact, toExactBody } from './exact-schema.ts'
import { problemSchemaOf } from './problem-schema.ts'
import { toPublishedRequest, toPublishedResponse } from './published-schema.ts'

type Json = Record<string, unknown>

/** How a document writes the schemas of an operation. */
export interface SchemaForm {
  readonly parameter: (schema: unknown) => unknown
  readonly body: (schema: unknown, named: Named) => unknown
  /** Generators decode every success of an operation as one type: `schemas` are those of all successes. */
  readonly response: (schema: unknown, named: Named, schemas: readonly unknown[]) => unknown
  readonly problems: (codes: readonly ProblemCode[]) => Json
  readonly components: () => Readonly<Record<string, Json>>
}

const problem = { $ref: '#/components/schemas/Problem' }

/**
 * The form that is served: open responses, components, and nothing narrower than the API.
 *
 * @param codes - the problem codes that readers of the document know. Default: all.
 */
export const publishedForm = (components: Components, codes?: readonly string[]): SchemaForm => ({
  parameter: toPublishedRequest,
  body: (schema, named) =>
    components.referWhole({ ...(toPublishedRequest(schema) as Json), ...named }, named),
  response: (schema, named, schemas) =>
    components.referWhole(toPublishedResponse(schemas.length > 1 ? union(schemas) : schema), named),
  problems: () => problem,
  components: () => ({
    ...components.schemas(),
    Problem: toPublishedResponse(problemSchemaOf(codes)) as Json,
  }),
})

/** The form for tests and our own generators. */
export const exactForm: SchemaForm = {
  parameter: toExact,
  body: toExactBody,
  response: toExact,
  problems: (codes) => ({ allOf: [problem, { properties: { code: { enum: codes } } }] }),
  components: () => ({ Problem: toExact(problemSchemaOf()) as Json }),
}

/** An object with the members of all objects. Those that not all have are optional. */
function union(schemas: readonly unknown[]): Json {
  const objects = schemas as readonly { properties: Json; required?: readonly string[] }[]
  const [first] = objects
  return {
    type: 'object',
    required: (first!.required ?? []).filter((name) =>
      objects.every(({ required = [] }) => required.includes(name)),
    ),
    properties: Object.assign({}, ...objects.map(({ properties }) => properties)) as Json,
  }
}
