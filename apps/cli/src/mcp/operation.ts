import type { PermissionName, Scope } from '@hosting/core/scopes'

/** An operation of the API that an agent may call. */
export interface Operation {
  /** The name of the tool. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  /** The arguments that are part of the path and of the query. The others are the body. */
  readonly pathNames: readonly string[]
  readonly queryNames: readonly string[]
  /** What the key needs; undefined for any key. */
  readonly needs?: { readonly permission: PermissionName; readonly scope: Scope }
  /** The JSON Schema of the arguments. */
  readonly input: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, object>>
    readonly required: readonly string[]
    readonly additionalProperties: false
  }
}
