import type { Schema } from './schema-members.ts'

/** Examples of our formats and of members whose schema says only that they are text. */
const examples: Readonly<Record<string, unknown>> = {
  uuid: '0199f2d4-31b5-7c60-8a55-6d1f0e2c9b47',
  'date-time': '2026-11-20T12:00:00.000Z',
  'webhook-url': 'https://hooks.example.com/webhooks',
  'event-pattern': 'site.*',
  scope: 'webhooks:write',
  'ip-network': '203.0.113.0/24',
  'ip-address': '203.0.113.7',
  'visible-text': 'CI server',
  'client-name': 'hctl on laptop',
  email: 'ana@example.com',
  name: 'Acme',
  slug: 'acme',
  url: 'https://hooks.example.com/webhooks',
  type: 'site.created',
  method: 'GET',
  authorization: 'Bearer hctl_…',
  token: 'hctl_…',
  secret: 'whsec_…',
  code: '123456',
  user_code: 'WDJB-MJHT',
  password: '…',
  cursor: '…',
}

/** Which members an example has: those that a request needs, or all. */
export type Extent = 'required' | 'all'

/** An example of what a schema describes. `name` is the member that holds it. */
export function exampleOf(schema: Schema, extent: Extent, name = ''): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum.find((value) => value !== null)
  if (schema.anyOf) return exampleOf(schema.anyOf[0]!, extent, name)
  if (schema.items) return [exampleOf(schema.items, extent, name)]
  if (schema.properties) return exampleObject(schema, extent)
  return exampleScalar(schema, name)
}

function exampleObject(schema: Schema, extent: Extent): Record<string, unknown> {
  const { properties = {}, required = [] } = schema
  const shown = Object.entries(properties).filter(
    ([name]) => extent === 'all' || required.includes(name),
  )
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member, extent, name)]))
}

function exampleScalar({ type, format, minimum, default: fallback }: Schema, name: string) {
  const [kind] = [type ?? 'object'].flat()
  if (fallback !== undefined) return fallback
  if (kind === 'integer' || kind === 'number') return minimum ?? 1
  if (kind === 'boolean') return true
  if (kind === 'null') return null
  if (kind === 'object') return {}
  return examples[format ?? name] ?? examples[name] ?? 'text'
}
