import { oneTimeMembers } from '../../packages/sdk/src/connection/response.ts'

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly (string | number | boolean | null)[]
  readonly const?: string | number | boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** A type, as every language can express it. */
export type Type =
  | { readonly kind: 'any' | 'string' | 'integer' | 'number' | 'boolean' }
  | { readonly kind: 'literal'; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: 'list' | 'map'; readonly of: Type }
  | { readonly kind: 'record'; readonly name: string }
  | { readonly kind: 'nullable'; readonly of: Type }
  | { readonly kind: 'union'; readonly of: readonly Type[] }

/** An object with known members. */
export interface RecordType {
  readonly name: string
  readonly members: readonly {
    readonly name: string
    readonly type: Type
    readonly isRequired: boolean
    readonly description: string
  }[]
}

/** The names of records by the place where they are first found. Every other is named after its place. */
const names: Readonly<Record<string, string>> = {
  'api-keys.create/body/workload': 'NewWorkload',
  'api-keys.list/items': 'ApiKey',
  'api-keys.scopes/items': 'Scope',
  'api-keys.update/body/workload': 'WorkloadChange',
  'api-keys.usage/items': 'UsageDay',
  'audit-log.list/items': 'AuditEvent',
  'audit-log.list/items/actor': 'AuditActor',
  'audit-log.list/items/target': 'AuditTarget',
  'auth.device.token/tenant': 'DeviceTenant',
  'auth.me/key': 'ApiKey',
  'auth.me/key/user': 'KeyUser',
  'auth.me/key/workload': 'Workload',
  'auth.me/tenant': 'Tenant',
  'auth.me/user': 'Person',
  'events.get/deliveries': 'EventDelivery',
  'tenant.key-policy/policy': 'KeyPolicy',
  'tenant.security-policy/policy': 'SecurityPolicy',
  'webhooks.deliveries/items': 'Delivery',
  'webhooks.event-types/items': 'EventType',
  'webhooks.incidents/items': 'Incident',
  'webhooks.list/items': 'Webhook',
  'webhooks.list/items/health': 'Health',
  'webhooks.ping/delivery': 'DeliveryDetails',
  'webhooks.ping/delivery/event': 'DeliveryEvent',
  'webhooks.ping/delivery/last_attempt': 'Attempt',
  'webhooks.ping/delivery/payload': 'Event',
  'webhooks.ping/delivery/webhook': 'DeliveryWebhook',
  'webhooks.recover.200': 'RecoveryPreview',
  'webhooks.recover.202': 'WebhooksRecoverResponse',
  'webhooks.recover.202/recovery': 'Recovery',
  'webhooks.stats/buckets': 'StatsBucket',
}

/** Collects the records of a document. Equal ones are one type, except the bodies of different operations. */
export function createTypes() {
  const byShape = new Map<string, RecordType>()
  const byName = new Map<string, RecordType>()

  const of = (
    schema: Schema,
    place: readonly string[],
    use: 'request' | 'response' = 'response',
  ): Type => {
    const kinds = [schema.type ?? []].flat()
    if (kinds.includes('null') && kinds.length > 1) {
      const isOnce = use === 'response' && place.length === 2 && isOneTime(place.at(-1)!)
      const rest = kinds.filter((kind) => kind !== 'null')
      const bare = of({ ...schema, type: rest }, place, use)
      return isOnce ? bare : nullable(bare)
    }
    if (schema.const !== undefined) return { kind: 'literal', values: [schema.const] }
    if (schema.enum) return literalOf(schema.enum)
    if (schema.anyOf) return unionOf(schema.anyOf, (each) => of(each, place, use))
    if (schema.properties) return record(schema, place, use)
    if (schema.items) return { kind: 'list', of: of(schema.items, place, use) }
    if (kinds[0] === 'object') {
      const values = schema.additionalProperties
      return { kind: 'map', of: typeof values === 'object' ? of(values, place, use) : anything }
    }
    return scalar(kinds[0])
  }

  function record(schema: Schema, place: readonly string[], use: 'request' | 'response'): Type {
    const members = Object.entries(schema.properties!).map(([name, each]) => ({
      name,
      type: of(each, [...place, name], use),
      isRequired: schema.required?.includes(name) ?? false,
      description: each.description ?? '',
    }))
    const isBody = place.length === 1
    const shape = JSON.stringify([
      isBody && place,
      members.map(({ name, type, isRequired }) => [name, type, isRequired]),
    ])
    const known = byShape.get(shape)
    if (known) return { kind: 'record', name: known.name }
    const name = names[place.join('/')] ?? nameOf(place)
    if (byName.has(name)) throw new Error(`${place.join('/')}: there is another record ${name}.`)
    const found = { name, members }
    byShape.set(shape, found)
    byName.set(name, found)
    return { kind: 'record', name }
  }

  return {
    of,
    /** The type of a parameter of the query, where booleans are `true` and `false`. */
    ofQuery: (schema: Schema, place: readonly string[]): Type =>
      schema.enum?.every((value) => value === 'true' || value === 'false')
        ? booleanOf(schema.enum.map((value) => value === 'true'))
        : of(schema, place, 'request'),
    union,
    records: (): readonly RecordType[] =>
      [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

const isOneTime = (name: string): boolean => (oneTimeMembers as readonly string[]).includes(name)

const anything: Type = { kind: 'any' }

const booleanOf = (values: readonly boolean[]): Type =>
  values.length === 2 ? { kind: 'boolean' } : { kind: 'literal', values }

const nullable = (type: Type): Type =>
  type.kind === 'nullable' ? type : { kind: 'nullable', of: type }

function literalOf(values: NonNullable<Schema['enum']>): Type {
  const literal = { kind: 'literal' as const, values: values.filter((value) => value !== null) }
  return values.includes(null) ? nullable(literal) : literal
}

function unionOf(schemas: readonly Schema[], toType: (schema: Schema) => Type): Type {
  const types = union(schemas.filter(({ type }) => type !== 'null').map(toType)) ?? anything
  return schemas.some(({ type }) => type === 'null') ? nullable(types) : types
}

function union(types: readonly Type[]): Type | undefined {
  const different = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()]
  return different.length > 1 ? { kind: 'union', of: different } : different[0]
}

function scalar(kind: string | undefined): Type {
  if (kind === 'string' || kind === 'integer' || kind === 'number' || kind === 'boolean') {
    return { kind }
  }
  return anything
}

/** `webhooks.create` is `WebhooksCreateResponse`, and a record within it `WebhooksCreateStats`. */
const nameOf = ([id, ...members]: readonly string[]): string =>
  toPascal(`${id!} ${members.length === 0 ? 'response' : members.join(' ')}`)

/** `rotate-secret` is `RotateSecret`. */
export const toPascal = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, letter: string) =>
    letter.toUpperCase(),
  )
