import openapiTS, { astToString } from 'openapi-typescript'

/**
 * The TypeScript types of an OpenAPI document: `paths` with every operation's parameters, body and responses.
 * It is a separate workspace because openapi-typescript needs the API of TypeScript 5, which TypeScript 7 does
 * not have.
 */
export const typesOf = async (document: object): Promise<string> =>
  astToString(await openapiTS(document as never, { alphabetize: false }))
