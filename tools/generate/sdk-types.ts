import { exactDocument, internalRoutes, publicRoutes } from '@hosting/api'
import { typesOf } from '../openapi-types/types-of.ts'
import { renameForAll } from './rename-for-all.ts'

const notice = `// Made by \`npm run generate\` from the routes of the API, as docs/generated/openapi.json is.
`

interface Operation {
  readonly responses: Readonly<Record<string, Response>>
}

interface Response {
  readonly content?: Readonly<Record<string, unknown>>
}

/** packages/sdk/src/generated/openapi.ts */
export const sdkTypes = (): Promise<string> => typesOfAccepted(exactDocument(publicRoutes))

/** packages/platform-sdk/src/generated/openapi.ts */
export const platformSdkTypes = (): Promise<string> =>
  typesOfAccepted(exactDocument(internalRoutes))

/** The types of the operations of a document without error responses, which the client throws as one class. */
async function typesOfAccepted(document: Readonly<Record<string, unknown>>): Promise<string> {
  const paths = document['paths'] as Record<string, Record<string, Operation>>
  const accepted = Object.entries(paths).map(([path, operations]) => [
    path,
    mapValues(operations, (operation) => ({
      ...operation,
      responses: withOpenEnums(
        Object.fromEntries(
          Object.entries(operation.responses)
            .filter(([status]) => Number(status) < 300)
            .map(([status, response]) => [status, withoutFiles(response)]),
        ),
      ),
    })),
  ])
  const types = await typesOf({
    ...document,
    paths: Object.fromEntries(accepted),
  })
  return notice + renameForAll(types)
}

/** The client reads pages as JSON. Files are for those who ask for them by `fetch`. */
function withoutFiles(response: Response): Response {
  const json = response.content?.['application/json']
  return json === undefined ? response : { ...response, content: { 'application/json': json } }
}

/** Values may be added to the enums of responses (docs/specification/requests.md#versions). */
function withOpenEnums(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOpenEnums)
  if (typeof value !== 'object' || value === null) return value
  const { enum: values, ...members } = value as Readonly<Record<string, unknown>>
  const inner = mapValues(members, withOpenEnums)
  if (!Array.isArray(values))
    return { ...inner, ...(values !== undefined && { enum: withOpenEnums(values) }) }
  return { ...inner, 'x-extensible-enum': values.filter((each) => each !== null) }
}

const mapValues = <From, To>(values: Readonly<Record<string, From>>, map: (value: From) => To) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
