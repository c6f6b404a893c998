import { errorClasses } from './attempt.ts'
import { statusCodeMax, statusCodeMin } from './limits.ts'

/** The JSON Schema (2020-12) of a member of `data`. */
interface MemberSchema {
  readonly type: 'string' | 'boolean' | 'integer'
  readonly const?: string
  readonly enum?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** The JSON Schema (2020-12) of `data`. */
export interface DataSchema {
  readonly type: 'object'
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, MemberSchema>>
  readonly additionalProperties: false
}

/** An event type (docs/specification/webhooks.md#event-types). */
export interface EventType {
  readonly type: string
  readonly resource: string
  readonly description: string
  readonly deprecated: boolean
  /** Whether endpoints can subscribe to it although it is not sent yet. */
  readonly reserved: boolean
  /** The schema of the envelope's `data`. */
  readonly schema: DataSchema
  /** An example of `data` that matches the schema. Its ids start with `example-`. `null` for reserved types. */
  readonly example: Readonly<Record<string, unknown>> | null
}

/** The members of `data` besides `object_type` and `object_id`, by name. A name that ends with `?` is optional. */
type Fields = Readonly<Record<string, MemberSchema>>

const text: MemberSchema = { type: 'string', minLength: 1, maxLength: 255 }
const oneOf = (...values: string[]): MemberSchema => ({ type: 'string', enum: values })
const accountId = { account_id: text }
const site = { ...accountId, primary_domain: text }
const zone = { ...accountId, zone: text }
const database = { ...accountId, engine: text }
const job = { 'account_id?': text, job_type: text }
const alert = {
  severity: oneOf('info', 'warning', 'critical'),
  'account_id?': text,
}

const endpoint = {
  url_host: text,
  'description?': text,
  'last_error_class?': oneOf(...errorClasses),
  'last_status_code?': { type: 'integer', minimum: statusCodeMin, maximum: statusCodeMax } as const,
}
const apiKey = { name: text, kind: oneOf('personal', 'organization'), 'expires_at?': text }

const rows: [type: string, objectType: string, fields: Fields, description: string][] = [
  [
    'server.enrolled',
    'server',
    { hostname: text },
    'A server completed enrollment and received its identity.',
  ],
  ['server.revoked', 'server', { hostname: text }, "A server's identity was revoked."],
  ['account.created', 'account', accountId, 'A hosting account was created.'],
  [
    'account.updated',
    'account',
    { ...accountId, change: oneOf('plan', 'overrides', 'quota', 'limits') },
    'Plan, overrides, quota or limits of an account changed.',
  ],
  ['account.deleted', 'account', accountId, 'Deletion of an account was confirmed and started.'],
  ['site.created', 'site', site, 'A site was created (installation job running).'],
  [
    'site.updated',
    'site',
    { ...site, change: oneOf('domains', 'php_version', 'security_policy') },
    'Domains, PHP version or security policy of a site changed.',
  ],
  [
    'site.tls_updated',
    'site',
    site,
    'Certificate or TLS policy of a site was applied on its server.',
  ],
  ['site.deleted', 'site', site, 'A site was removed from its server.'],
  ['backup.completed', 'backup', accountId, 'A backup run finished successfully.'],
  [
    'backup.failed',
    'backup',
    { ...accountId, will_retry: { type: 'boolean' } },
    'A backup run failed; `data.will_retry` says whether it is retried.',
  ],
  ['backup.restored', 'backup', accountId, 'A restore from a backup finished successfully.'],
  ['dns.zone_created', 'dns_zone', zone, 'A DNS zone was created.'],
  ['dns.zone_deleted', 'dns_zone', zone, 'Removal of a DNS zone started.'],
  [
    'dns.records_changed',
    'dns_zone',
    { ...zone, change: oneOf('created', 'changed', 'deleted', 'imported') },
    'Records of a zone were created, changed, deleted or imported.',
  ],
  ['database.created', 'database', database, 'A database was requested on a database service.'],
  ['database.deleted', 'database', database, 'Removal of a database was requested.'],
  ['job.succeeded', 'job', job, 'A job finished successfully on its server.'],
  ['job.failed', 'job', job, 'A job failed for good on its server.'],
  ['alert.firing', 'alert', alert, 'An alert started firing.'],
  ['alert.resolved', 'alert', alert, 'A firing alert resolved.'],
  [
    'endpoint.failing',
    'webhook',
    endpoint,
    'An incident of one of your endpoints opened. Sent to your other endpoints.',
  ],
  [
    'endpoint.recovered',
    'webhook',
    endpoint,
    'A success closed the incident of one of your endpoints. Sent to your other endpoints.',
  ],
  [
    'endpoint.disabled',
    'webhook',
    endpoint,
    'One of your endpoints was disabled because it failed for too long. Sent to your other endpoints.',
  ],
  ['api_key.expiring', 'api_key', apiKey, 'An API key expires in 7 days or in 1 day.'],
  ['api_key.created', 'api_key', apiKey, 'An API key was created.'],
  ['api_key.revoked', 'api_key', apiKey, 'An API key was revoked.'],
  ['invoice.ready', 'invoice', {}, 'Reserved for billing; not sent yet.'],
  ['webhook.ping', 'webhook', {}, 'Test event sent on request to one endpoint.'],
]

/** The resources whose events the service makes itself (docs/specification/webhooks.md#operational-events). */
const operationalResources: ReadonlySet<string> = new Set(['endpoint', 'api_key'])

const reservedTypes: ReadonlySet<string> = new Set(['invoice.ready'])

/** Example values of the fields that are neither an enum nor a boolean. */
const exampleTexts: Readonly<Record<string, string>> = {
  account_id: 'example-account',
  hostname: 'web01.example.com',
  primary_domain: 'example.com',
  zone: 'example.com',
  engine: 'postgresql',
  job_type: 'site.install',
  url_host: 'hooks.example.com',
  description: 'Orders',
  name: 'CI server',
  expires_at: '2027-01-31T12:00:00.000Z',
}

/** Uses no schema library, because the worker loads this table, too, and a library would take 20 MB. */
function schemaOf(objectType: string, fields: Fields): DataSchema {
  const members = {
    object_type: { type: 'string', const: objectType } as const,
    object_id: text,
    ...fields,
  }
  return {
    type: 'object',
    required: Object.keys(members).filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(
      Object.entries(members).map(([name, schema]) => [nameOf(name), schema]),
    ),
    additionalProperties: false,
  }
}

const nameOf = (field: string): string => field.replace('?', '')

const exampleOf = (objectType: string, fields: Fields): Record<string, unknown> => ({
  object_type: objectType,
  object_id: `example-${objectType}`,
  ...Object.fromEntries(
    Object.entries(fields).map(([field, schema]) => [
      nameOf(field),
      exampleValue(nameOf(field), schema),
    ]),
  ),
})

function exampleValue(name: string, { type, enum: values }: MemberSchema): unknown {
  if (type === 'boolean') return true
  if (type === 'integer') return 503
  return values?.[0] ?? exampleTexts[name]
}

/** The event table, by type. */
export const eventTypes: ReadonlyMap<string, EventType> = new Map(
  rows.map(([type, objectType, fields, description]) => [
    type,
    {
      type,
      resource: type.split('.')[0]!,
      description,
      deprecated: false,
      reserved: reservedTypes.has(type),
      schema: schemaOf(objectType, fields),
      example: reservedTypes.has(type) ? null : exampleOf(objectType, fields),
    },
  ]),
)

/** The kind of object that events of a type are about, the `object_type` of their data. */
export const objectTypeOf = (type: string): string =>
  eventTypes.get(type)?.schema.properties['object_type']?.const ?? ''

/** Whether an example of the type can be sent, and the type can be in the event log. */
export const hasExample = (type: string): boolean =>
  eventTypes.get(type)?.reserved === false && type !== 'webhook.ping'

/** The types that {@link hasExample} accepts, in the order of the table. */
export const exampleTypes: readonly string[] = [...eventTypes.keys()].filter(hasExample)

/** Whether the platform may publish the type. Pings, operational events and reserved types cannot be published. */
export const isPublishable = (type: string): boolean =>
  hasExample(type) && !operationalResources.has(eventTypes.get(type)!.resource)

/** The types that {@link isPublishable} accepts, in the order of the table. */
export const publishableTypes: readonly string[] = [...eventTypes.keys()].filter(isPublishable)
