// What the generated clients share: the groups, operations and records of the OpenAPI document.
import { exactDocument, isForPrograms, publicRoutes, type Route } from '@hosting/api'
import { createTypes, type RecordType, type Schema, type Type } from './types.ts'

/** A parameter of the query, or a member of the body. */
export interface Argument {
  readonly name: string
  readonly in: 'query' | 'body'
  readonly type: Type
  readonly isRequired: boolean
  readonly description: string
}

/** An operation of the API that programs can call. */
export interface ClientOperation {
  /** `webhooks.rotate-secret` */
  readonly id: string
  /** The groups it is in: `['webhooks', 'recoveries']`. */
  readonly groups: readonly string[]
  readonly name: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  /** The parameters of the path, in their order. */
  readonly pathNames: readonly string[]
  readonly arguments: readonly Argument[]
  /** The body of the response; undefined for 204. For a list, the type of its items. */
  readonly result: Type | undefined
  /** Whether the result is a list that is read page by page. */
  readonly isPaged: boolean
  /** Reads, and writes that take an `Idempotency-Key`. Others are sent once. */
  readonly isRetryable: boolean
}

/** The API as the clients present it. */
export interface ClientModel {
  readonly operations: readonly ClientOperation[]
  readonly records: readonly RecordType[]
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Content {
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema } }
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

const forPrograms: ReadonlySet<string> = new Set(
  (publicRoutes as unknown as readonly Route[])
    .filter(isForPrograms)
    .map(({ operationId }) => operationId),
)

/** Every client reads the stream with a function of its own. */
const isGenerated = ({ operationId }: Operation): boolean =>
  forPrograms.has(operationId) && operationId !== 'webhooks.listen'

/** Reads the model from the document of the public API. */
export function clientModel(): ClientModel {
  const types = createTypes()
  const paths = exactDocument(publicRoutes)['paths'] as Record<string, Record<string, Operation>>
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => isGenerated(operation))
      .map(([method, operation]) => toOperation(method.toUpperCase(), path, operation, types)),
  )
  return { operations, records: types.records() }
}

function toOperation(
  method: string,
  path: string,
  operation: Operation,
  types: ReturnType<typeof createTypes>,
): ClientOperation {
  const {
    operationId: id,
    summary,
    description,
    parameters = [],
    requestBody,
    responses,
  } = operation
  const steps = id.split('.')
  const body = requestBody && schemaOf(requestBody)
  const results = Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([status, response]) => {
      const schema = schemaOf(response)
      return schema ? [{ status, schema }] : []
    })
  const [first] = results
  const page = first && isPage(first.schema) ? first.schema.properties!['items']!.items : undefined
  return {
    id,
    groups: steps.slice(0, -1),
    name: steps.at(-1)!,
    method,
    path,
    summary,
    description,
    pathNames: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    arguments: [
      ...parameters.filter((each) => each.in === 'query').map((each) => toQuery(id, each, types)),
      ...toBodyArguments(id, body, types),
    ],
    result: page
      ? types.of(page, [id, 'items'])
      : types.union(
          results.map(({ schema, status }) =>
            types.of(schema, [results.length > 1 ? `${id}.${status}` : id]),
          ),
        ),
    isPaged: page !== undefined,
    isRetryable: method === 'GET' || parameters.some(({ name }) => name === 'Idempotency-Key'),
  }
}

const schemaOf = ({ content }: Content): Schema | undefined => content?.['application/json']?.schema

const isPage = ({ properties }: Schema): boolean =>
  properties?.['items'] !== undefined && properties['next_cursor'] !== undefined

type Types = ReturnType<typeof createTypes>

const toQuery = (
  id: string,
  { name, schema, required = false, description = '' }: Parameter,
  types: Types,
): Argument => ({
  name,
  in: 'query',
  type: types.ofQuery(schema, [id, name]),
  isRequired: required,
  description: schema.description ?? description,
})

const toBodyArguments = (id: string, body: Schema | undefined, types: Types): Argument[] =>
  Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'body' as const,
    type: types.of(schema, [id, 'body', name], 'request'),
    isRequired: body!.required?.includes(name) ?? false,
    description: schema.description ?? '',
  }))

/** A group of operations: `webhooks`, and within it `recoveries`. */
export interface Group {
  readonly path: readonly string[]
  readonly operations: readonly ClientOperation[]
  readonly groups: readonly Group[]
}

/** The groups of the operations, in the order of the document. */
export function groupsOf(
  operations: readonly ClientOperation[],
  path: readonly string[] = [],
): Group[] {
  const depth = path.length
  const inside = operations.filter(({ groups }) => groups.length > depth)
  const byName = Map.groupBy(inside, ({ groups }) => groups[depth]!)
  return [...byName].map(([name, members]) => ({
    path: [...path, name],
    operations: members.filter(({ groups }) => groups.length === depth + 1),
    groups: groupsOf(members, [...path, name]),
  }))
}
