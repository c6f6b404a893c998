import openapiTS, { astToString } from 'openapi-typescript'

/**
 * The TypeScript of an OpenAPI document: `paths` with every operation's parameters, body and answers. It
 * stands in a workspace of its own because openapi-typescript works with the API of TypeScript 5, which
 * TypeScript 7 does not have.
 */
export const typesOf = async (document: object): Promise<string> =>
  astToString(await openapiTS(document as never, { alphabetize: false }))
