import { keyIdPattern } from '@hosting/core/api-keys'
import type { Schema } from './schema-members.ts'

/** The id of records in examples. */
const exampleId = '0199f2d4-31b5-7c60-8a55-6d1f0e2c9b47'
const keyId = 'k7w2q4m5x3az'
const eventData = {
  object_type: 'site',
  object_id: 'site-1',
  account_id: 'account-1',
  primary_domain: 'www.example.com',
}

/**
 * Examples by format, by pattern, and by the name of a member whose schema says only that it is text or an object:
 * with the name of the member that contains it, or without.
 */
const examples: Readonly<Record<string, unknown>> = {
  uuid: exampleId,
  date: '2026-11-20',
  'date-time': '2026-11-20T12:00:00.000Z',
  'webhook-url': 'https://hooks.example.com/webhooks',
  'event-pattern': 'site.*',
  scope: 'webhooks:write',
  'ip-network': '203.0.113.0/24',
  'ip-address': '203.0.113.7',
  'visible-text': 'CI server',
  'email-address': 'person@example.com',
  'client-name': 'hctl on laptop',
  [keyIdPattern]: keyId,

  access: 'read',
  attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVik…',
  authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoM…',
  clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0Ii…',
  'account.name': 'Shop',
  'passkey.name': 'Laptop',
  'actor.name': 'Ana',
  'created_by.name': 'Ana',
  'impersonator.name': 'Ben',
  'key.name': 'CI server',
  'subject.id': exampleId,
  'subject.name': 'Orders',
  'target.id': keyId,
  'target.type': 'api_key',
  'user.name': 'Ana',
  action: 'api_key.create',
  after: 'bm90aWNlLWZlZWQ6MTc2',
  authorization: 'Bearer hctl_…',
  audience: 'https://panel.example.com/workloads/k7w2q4m5x3az',
  client_name: 'hctl on laptop',
  code: '123456',
  csrf_token: '8c2f…',
  conditions: { repository_id: '1234' },
  cursor: 'd2ViaG9va3M6MDE5OWYyZDQ',
  data: eventData,
  description: 'Orders',
  details: { name: 'CI server' },
  device_code: '3fq9…',
  edition: 'standard',
  email: 'ana@example.com',
  events: 'site.*',
  example: eventData,
  features: 'webhooks',
  header_names: 'x-environment',
  headers: { 'x-environment': 'production' },
  ip: '203.0.113.7',
  ip_allowlist: '203.0.113.0/24',
  issuer: 'https://token.actions.githubusercontent.com',
  key_id: keyId,
  last_used_ip: '203.0.113.7',
  limits: { requests_per_key_per_minute: 600 },
  method: 'GET',
  name: 'Acme',
  new_password: 'correct horse battery staple',
  next_cursor: 'd2ViaG9va3M6MDE5OWYyZDQ',
  otpauth_uri: 'otpauth://totp/…',
  parent_key_id: keyId,
  password: '…',
  path: '/webhooks',
  permissions: 'webhooks.read',
  q: 'CI',
  reason: 'insufficient_scope',
  recovery_codes: 'm3vk-8hq2',
  request_id: 'req-7f3a',
  resource: 'webhooks',
  roles: 'admin',
  schema: { type: 'object' },
  scopes: 'webhooks:write',
  secret: 'whsec_…',
  slug: 'acme',
  status: 'active',
  text: 'Five attempts in a row have failed.',
  title: 'An endpoint is failing',
  token: 'hctl_…',
  totp_code: '123456',
  type: 'site.created',
  url: 'https://hooks.example.com/webhooks',
  user_agent: 'hctl/1.0.0',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://panel.example.com/device',
  verification_uri_complete: 'https://panel.example.com/device?user_code=WDJB-MJHT',
  window: '24h',
}

/** Which members an example has: those that a request needs, or all. */
export type Extent = 'required' | 'all'

/** An example of what a schema describes. `name` is the member that holds it, with the member above it. */
export function exampleOf(schema: Schema, extent: Extent, name = ''): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum.find((value) => value !== null)
  if (schema.anyOf) return exampleOf(schema.anyOf[0]!, extent, name)
  if (schema.items) return exampleArray(schema.items, schema.minItems, { extent, name })
  if (schema.properties) return exampleObject(schema, extent, name)
  return exampleScalar(schema, name)
}

function exampleArray(
  items: Schema,
  length = 1,
  { extent, name }: { extent: Extent; name: string },
): unknown[] {
  return Array.from({ length }, () => exampleOf(items, extent, name))
}

function exampleObject(schema: Schema, extent: Extent, name: string): Record<string, unknown> {
  const { properties = {}, required = [], minProperties = 0 } = schema
  const shown = Object.entries(properties).filter(
    ([member], index) => extent === 'all' || required.includes(member) || index < minProperties,
  )
  const holder = name.slice(name.lastIndexOf('.') + 1)
  return Object.fromEntries(
    shown.map(([member, of]) => [member, exampleOf(of, extent, `${holder}.${member}`)]),
  )
}

function exampleScalar(schema: Schema, name: string) {
  const { type, format = '', pattern = '', minimum, default: fallback } = schema
  const [kind] = [type ?? 'object'].flat()
  if (fallback !== undefined) return fallback
  if (kind === 'integer' || kind === 'number') return minimum ?? 1
  if (kind === 'boolean') return true
  if (kind === 'null') return null
  const found =
    examples[format] ?? examples[pattern] ?? examples[name] ?? examples[name.replace(/^.*\./, '')]
  if (kind === 'object') return found ?? {}
  return typeof found === 'string' ? found : 'text'
}
