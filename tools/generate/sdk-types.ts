import {
  internalApiDocument,
  internalBase,
  internalRoutes,
  openApiDocument,
  publicRoutes,
} from '@hosting/api'
import { typesOf } from '../openapi-types/types-of.ts'
import { renameForAll } from './rename-for-all.ts'

const notice = `// Made by \`npm run generate\` from the routes of the API, as docs/generated/openapi.json is.
`

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>
}

/** packages/sdk/src/generated/openapi.ts */
export const sdkTypes = (): Promise<string> => typesOfAccepted(openApiDocument(publicRoutes))

/** packages/platform-sdk/src/generated/openapi.ts */
export const platformSdkTypes = (): Promise<string> =>
  typesOfAccepted(internalApiDocument(internalRoutes, internalBase))

/**
 * The types of the operations of a document without error responses, which the client throws as one class. The headers
 * of webhooks have other names on each installation.
 */
async function typesOfAccepted(document: Readonly<Record<string, unknown>>): Promise<string> {
  const { webhooks: _webhooks, ...described } = document
  const { parameters: _parameters, ...components } = document['components'] as Record<
    string,
    unknown
  >
  const paths = document['paths'] as Record<string, Record<string, Operation>>
  const accepted = Object.entries(paths).map(([path, operations]) => [
    path,
    mapValues(operations, (operation) => ({
      ...operation,
      responses: Object.fromEntries(
        Object.entries(operation.responses).filter(([status]) => Number(status) < 300),
      ),
    })),
  ])
  const types = await typesOf({
    ...described,
    components,
    paths: Object.fromEntries(accepted),
  })
  return notice + renameForAll(types)
}

const mapValues = <From, To>(values: Readonly<Record<string, From>>, map: (value: From) => To) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
