import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

/**
 * The TypeScript types of an OpenAPI document: `paths` with every operation's parameters, body and responses. A string
 * with the extension `x-extensible-enum` may have other values, too; editors still suggest the known ones.
 * It is a separate workspace because openapi-typescript needs the API of TypeScript 5, which TypeScript 7 does
 * not have.
 */
export const typesOf = async (document: object): Promise<string> =>
  astToString(
    await openapiTS(document as never, {
      alphabetize: false,
      transform: (schema) => {
        const known: unknown = (schema as Readonly<Record<string, unknown>>)['x-extensible-enum']
        return Array.isArray(known) ? openUnion(known as string[], schema.type) : undefined
      },
    }),
  )

const { factory } = ts

/** `'a' | 'b' | (string & {})`, with null if the type contains it. */
const openUnion = (known: readonly string[], type: unknown): ts.TypeNode =>
  factory.createUnionTypeNode([
    ...known.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(value))),
    factory.createParenthesizedType(
      factory.createIntersectionTypeNode([
        factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
        factory.createTypeLiteralNode([]),
      ]),
    ),
    ...(Array.isArray(type) && type.includes('null')
      ? [factory.createLiteralTypeNode(factory.createNull())]
      : []),
  ])
