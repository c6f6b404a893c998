import { exactDocument, internalBase, internalRoutes, publicBase, publicRoutes } from '@hosting/api'

/** The part of JSON Schema that the document's requests use. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Schema
}

interface Documented {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, unknown>> }>
  >
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>
}

/** An operation of an OpenAPI document. */
export interface Operation extends Documented {
  readonly listener: Listener
  readonly method: string
  readonly path: string
}

/** A listener and its exact document, which is for tests. */
export interface Listener {
  readonly name: 'public' | 'internal'
  readonly base: string
  readonly document: Document
}

const listeners: readonly Listener[] = [
  {
    name: 'public',
    base: publicBase,
    document: exactDocument(publicRoutes) as unknown as Document,
  },
  {
    name: 'internal',
    base: internalBase,
    document: exactDocument(internalRoutes, internalBase) as unknown as Document,
  },
]

export const [publicListener] = listeners as [Listener, Listener]

/** Every operation of both listeners. */
export const operations: readonly Operation[] = listeners.flatMap((listener) =>
  Object.entries(listener.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, documented]) => ({
      ...documented,
      listener,
      method: method.toUpperCase(),
      path,
    })),
  ),
)
