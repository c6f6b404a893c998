import { openApiDocument, publicRoutes } from '@hosting/api'
import { scopes } from '@hosting/core/scopes'
import { eventPatterns } from '@hosting/core/webhooks'

interface Schema {
  readonly required?: readonly string[]
  readonly properties: Readonly<Record<string, object>>
  readonly [keyword: string]: unknown
}

/** docs/generated/hosting.schema.json */
export const hostingSchemaText = (): string => `${JSON.stringify(hostingSchema(), null, 2)}\n`

/** apps/cli/src/generated/hosting-schema.ts */
export const hostingSchemaModule = (): string =>
  `// Made by \`npm run generate\` from the routes of the API, as docs/generated/hosting.schema.json is.
export const hostingSchema: object = ${JSON.stringify(hostingSchema())}
`

/** The schema of `hosting.yaml`, made of the bodies that create and change what the file names. */
function hostingSchema(): object {
  const { components } = openApiDocument(publicRoutes) as unknown as {
    components: { schemas: Readonly<Record<string, Schema>> }
  }
  const bodyOf = (name: string): Schema => components.schemas[name]!
  const webhook = bodyOf('WebhooksCreateBody')
  const key = bodyOf('ApiKeysCreateBody')
  const { enabled } = bodyOf('ApiKeysUpdateBody').properties
  const { pattern } = webhook.properties['external_id'] as { pattern: string }
  const byExternalId = (description: string, of: object) => ({
    type: ['object', 'null'],
    description,
    propertyNames: { type: 'string', pattern },
    additionalProperties: of,
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'hosting.yaml',
    description:
      'The endpoints and organization keys that are kept as code. In texts, `${NAME}` takes a value from the environment, and `$${` stands for `${`.',
    type: 'object',
    required: ['version'],
    properties: {
      $schema: { type: 'string', description: 'The URL of this schema, for editors.' },
      version: { type: 'integer', const: 1, description: 'The version of this format.' },
      webhooks: byExternalId(
        'Endpoints by their external ids.',
        described('An endpoint.', webhook, {
          events: completed(webhook.properties['events']!, eventPatterns),
        }),
      ),
      keys: byExternalId(
        'Organization keys by their external ids.',
        described('An organization key.', key, {
          scopes: completed(key.properties['scopes']!, scopes),
          enabled: enabled!,
        }),
      ),
      key_policy: described(
        'The key policy of the organization, which only a person can change.',
        bodyOf('TenantPutKeyPolicyBody'),
        {},
      ),
    },
    additionalProperties: false,
  }
}

/** What the place of an object in the file says. */
const implied: ReadonlySet<string> = new Set(['external_id', 'kind'])

function described(
  description: string,
  body: Schema,
  others: Readonly<Record<string, object>>,
): object {
  const members = Object.entries({ ...body.properties, ...others })
  const properties = Object.fromEntries(members.filter(([name]) => !implied.has(name)))
  return { ...body, description, properties }
}

/** A list of texts of which editors offer the known ones. The service may know more. */
const completed = (list: object, known: readonly string[]): object => ({
  ...list,
  items: { anyOf: [{ type: 'string', enum: known }, { type: 'string' }] },
})
