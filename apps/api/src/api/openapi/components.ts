type Json = Record<string, unknown>

/** The named schemas of a document. */
export interface Components {
  /**
   * Replaces the schemas that have a title, on every level, by references to components of that name.
   *
   * @throws Error if two schemas have one title.
   */
  readonly refer: (schema: unknown) => unknown
  /** The same for a whole body, which gets the name and the description if it is an object without a title. */
  readonly referWhole: (schema: unknown, fallback: Named) => unknown
  readonly schemas: () => Readonly<Record<string, Json>>
}

/** The name and the description of a component. */
export interface Named {
  readonly title: string
  readonly description: string
}

/** Collects the components of a document. */
export function createComponents(): Components {
  const schemas = new Map<string, Json>()

  function refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(refer)
    if (typeof schema !== 'object' || schema === null) return schema
    const { title, ...members } = schema as Json
    // A member of an object can be named `title`, too.
    if (typeof title !== 'string') return mapMembers(schema as Json)
    return referNamed(title, members)
  }

  const mapMembers = (schema: Json): Json =>
    Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, refer(value)]))

  function referNamed(name: string, schema: Json): Json {
    const types = [schema['type']].flat()
    const isNullable = types.length > 1 && types.includes('null')
    const type = types.find((each) => each !== 'null')
    const described = { ...schema, description: componentTexts[name] ?? schema['description'] }
    add(name, mapMembers({ ...described, ...(type !== undefined && { type }) }))
    const reference = { $ref: `#/components/schemas/${name}` }
    return isNullable ? { oneOf: [reference, { type: 'null' }] } : reference
  }

  function add(name: string, schema: Json): void {
    const known = schemas.get(name) ?? schema
    if (JSON.stringify(withoutText(known)) !== JSON.stringify(withoutText(schema))) {
      throw new Error(`Two schemas have the title ${name}.`)
    }
    schemas.set(name, known)
  }

  return {
    refer,
    referWhole: (schema, fallback) => refer({ ...fallback, ...(schema as Json) }),
    schemas: () =>
      Object.fromEntries([...schemas].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  }
}

const withoutText = ({ description: _description, ...schema }: Json): Json => schema

/** `webhooks.rotate-secret` as the name of a type: `WebhooksRotateSecret`. */
export const toTypeName = (id: string): string =>
  id
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

/** The descriptions of the components that are used in several places: what the records are, apart from their use. */
const componentTexts: Readonly<Record<string, string>> = {
  Attempt: 'One HTTP request of a delivery.',
  AuditEvent: 'An event of the audit log.',
  ByPasskey: 'Proof of identity by a passkey.',
  ConfirmationByPassword: 'Proof of identity by the password.',
  Delivery: 'A delivery with its attempts and its payload.',
  DeliveryBucket: 'The deliveries that were created in a span of time.',
  DeliveryEvent: 'What a delivery says about its event.',
  DeliverySummary: 'A delivery, as lists contain it.',
  DeliveryWebhook: 'What a delivery says about its endpoint.',
  DeviceRequest: 'A device login that a person decides on.',
  EventBucket: 'The events that were created in a span of time.',
  EventEnvelope: 'An event, as it is delivered.',
  EventType: 'An event type with its schema.',
  Incident: 'A time in which an endpoint was failing.',
  IncidentSpan: 'Attempts of an incident in a row that failed alike.',
  Key: 'An API key, without its token.',
  KeyPolicy: 'What the API keys of an organization must comply with.',
  KeyPolicyWarning: 'What weakens a key policy.',
  KeyUse: 'Requests of a key in an hour or day that agree in all of this.',
  KeyWorkload: 'What a workload key exchanges for its tokens.',
  Notice: 'A notice for a person.',
  Organization: 'An organization.',
  Passkey: 'A passkey of a person.',
  Person: 'A user or service user that a record refers to.',
  Recovery: 'A recovery, which sends events of a time range again.',
  SecurityPolicy: 'What an organization requires of its people.',
  SignInByPassword: 'A sign-in with a password.',
  SignedIn: 'A session of the panel.',
  User: 'A person, or the service user of an organization key.',
  UserSession: 'A session of a person, without its secrets.',
  Webhook: 'An endpoint, without its signing secret.',
  WebhookHealth: 'Whether the receiver of an endpoint accepts requests.',
}
