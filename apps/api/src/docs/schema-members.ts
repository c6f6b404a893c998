/** A member of a JSON Schema, as a row of the reference. */
export interface Member {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

/** The subset of JSON Schema that our schemas use. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
}

/** The members of an object schema, including those of nested objects and array items. */
export function membersOf(schema: Schema, prefix = ''): Member[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const name = prefix + key
    const inner = member.items
      ? membersOf(member.items, `${name}[].`)
      : membersOf(member, `${name}.`)
    return [
      {
        name,
        type: typeOf(member),
        required: schema.required?.includes(key) ?? false,
        description: member.description ?? '',
      },
      ...inner,
    ]
  })
}

function typeOf({ type, format, enum: values, const: value, anyOf, items }: Schema): string {
  if (anyOf) return anyOf.map(typeOf).join(' or ')
  if (value !== undefined) return JSON.stringify(value)
  if (values) return values.map((entry) => JSON.stringify(entry)).join(', ')
  if (items) return `array of ${typeOf(items)}`
  return [[type ?? 'any'].flat().join(' or '), format && `(${format})`].filter(Boolean).join(' ')
}
