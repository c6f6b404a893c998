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
  readonly minProperties?: number
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

/** The members of an object schema, including those of nested objects, array items and alternatives. */
export function membersOf(schema: Schema, prefix = ''): Member[] {
  if (schema.anyOf) return schema.anyOf.flatMap((alternative) => membersOf(alternative, prefix))
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

function typeOf(schema: Schema): string {
  const { type, format, enum: values, const: value, anyOf, items } = schema
  if (anyOf) return anyOf.map(typeOf).join(' or ')
  if (value !== undefined) return JSON.stringify(value)
  const kinds = [type ?? 'any'].flat()
  const kind = values
    ? values.map((entry) => JSON.stringify(entry)).join(', ')
    : items
      ? [`array of ${typeOf(items)}`, ...kinds.slice(1)].join(' or ')
      : [kinds.join(' or '), format && `(${format})`].filter(Boolean).join(' ')
  return [kind, ...limitsOf(schema)].join(', ')
}

/** The limits and the default of a member, in words. */
function limitsOf({ type, ...schema }: Schema): string[] {
  const unit = [type].flat()[0] === 'array' ? ' items' : ' characters'
  return [
    rangeOf(schema.minimum, schema.maximum, ''),
    rangeOf(schema.minItems ?? schema.minLength, schema.maxItems ?? schema.maxLength, unit),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter((text) => text !== '')
}

/** A range in words; nothing for a number that is only not negative. */
function rangeOf(least: number | undefined, most: number | undefined, unit: string): string {
  const [from, to] = [least, most].map((limit) => limit?.toLocaleString('en'))
  if (to !== undefined) return from === undefined ? `up to ${to}${unit}` : `${from} to ${to}${unit}`
  return least === undefined || least < 2 ? '' : `at least ${from}${unit}`
}
