import { openApiDocument, publicRoutes } from '@hosting/api'

interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: object
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security: readonly object[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: object }>>
  }
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
  readonly 'x-permission'?: string
  readonly 'x-scope'?: string
}

/** apps/cli/src/generated/operations.ts */
export function operationsModule(): string {
  const { paths, components } = openApiDocument(publicRoutes) as unknown as {
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    components: { schemas: Readonly<Record<string, object>> }
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, operation]) => isTool(method, operation))
      .map(([method, operation]) => toOperation({ method, path, operation }, components.schemas)),
  )
  return `// Made by \`npm run generate\` from the routes of the API.
import type { Operation } from '../mcp/operation.ts'

export const operations: readonly Operation[] = ${JSON.stringify(operations)}
`
}

/** What a key may call, except streams and what an agent never does: delete, revoke, rotate and create keys. */
function isTool(method: string, { operationId, security, responses }: Operation): boolean {
  const isForKeys = security.some((scheme) => 'apiKey' in scheme)
  const isStream = Object.values(responses).some(
    ({ content = {} }) => 'text/event-stream' in content,
  )
  const isDangerous =
    method === 'delete' || /delete|revoke|rotate|^api-keys\.create$/.test(operationId)
  return isForKeys && !isStream && !isDangerous
}

function toOperation(
  { method, path, operation }: { method: string; path: string; operation: Operation },
  schemas: Readonly<Record<string, object>>,
): object {
  const { operationId, summary, description, requestBody } = operation
  const given = argumentsOf(operation)
  const json = requestBody?.content['application/json']?.schema
  const body = json && (inline(json, schemas) as Schema)
  const names = [...given.map(({ name }) => name), ...Object.keys(body?.properties ?? {})]
  if (new Set(names).size < names.length || (body && body.type !== 'object')) {
    throw new Error(`The members of ${operationId} cannot be arguments of one tool.`)
  }
  const placed = (place: string): string[] =>
    given.filter((parameter) => parameter.in === place).map(({ name }) => name)
  const required = given.filter((parameter) => parameter.required === true).map(({ name }) => name)
  return {
    name: operationId.replaceAll(/[.-]/g, '_'),
    title: summary,
    description: description ?? summary,
    method: method.toUpperCase(),
    path,
    pathNames: placed('path'),
    queryNames: placed('query'),
    ...(operation['x-permission'] && {
      needs: { permission: operation['x-permission'], scope: operation['x-scope'] },
    }),
    input: {
      type: 'object',
      properties: {
        ...Object.fromEntries(
          given.map(({ name, schema, description: text }) => [
            name,
            { ...(inline(schema, schemas) as object), ...(text && { description: text }) },
          ]),
        ),
        ...body?.properties,
      },
      required: [...required, ...(body?.required ?? [])],
      additionalProperties: false,
    },
  }
}

/** The parameters of the path and the query, except the one that exports a list as a file: a result of a tool is JSON. */
const argumentsOf = ({ parameters = [], responses }: Operation): readonly Parameter[] => {
  const isExportable = Object.values(responses).some(({ content = {} }) => 'text/csv' in content)
  return parameters.filter(
    ({ in: place, name }) =>
      (place === 'path' || place === 'query') && !(isExportable && name === 'format'),
  )
}

/** Replaces references to components by what they refer to. */
function inline(schema: unknown, schemas: Readonly<Record<string, object>>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => inline(each, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref: reference, ...members } = schema as { $ref?: unknown }
  const name = typeof reference === 'string' ? reference.split('/').at(-1)! : undefined
  const target = name === undefined ? {} : (inline(schemas[name], schemas) as object)
  const own = Object.entries(members).map(([key, value]) => [key, inline(value, schemas)])
  return { ...target, ...Object.fromEntries(own) }
}
