import { eventTypes } from './event-types.ts'

/** The envelope of an event (docs/specification/webhooks.md#envelope). */
export interface Envelope {
  readonly id: string
  readonly type: string
  readonly created_at: string
  readonly tenant_id: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Serializes the envelope once, when the event is accepted. Every attempt and every redelivery sends and signs
 * exactly these bytes (UTF-8).
 */
export function freezeEnvelope({ id, type, created_at, tenant_id, data }: Envelope): string {
  return JSON.stringify({ id, type, created_at, tenant_id, data })
}

/** What an event is about, by which people look for it. */
export interface EventSubject {
  readonly objectId: string
  readonly accountId: string | null
  /** The domain of a site, the name of a DNS zone or the host name of a server. */
  readonly name: string | null
}

/** Reads the subject of an event from its `data` (docs/specification/webhooks.md#event-types). */
export function subjectOf(data: Readonly<Record<string, unknown>>): EventSubject {
  const textOf = (member: string): string | null => {
    const value = data[member]
    return typeof value === 'string' ? value : null
  }
  return {
    objectId: textOf('object_id') ?? '',
    accountId: textOf('account_id'),
    name: textOf('primary_domain') ?? textOf('zone') ?? textOf('hostname'),
  }
}

/** The valid patterns (docs/specification/webhooks.md#event-patterns). */
const valid: ReadonlySet<string> = new Set([
  '*',
  ...[...eventTypes.values()].flatMap(({ type, resource }) =>
    resource === 'webhook' ? [] : [type, `${resource}.*`],
  ),
])

/** Every pattern that an endpoint may subscribe to. */
export const eventPatterns: readonly string[] = [...valid]

/**
 * Whether an endpoint may subscribe to the text: `*`, `<resource>.*` or an event type. `webhook.ping` is only sent
 * on request, so endpoints cannot subscribe to it.
 */
export const isEventPattern = (text: string): boolean => valid.has(text)

/** Every pattern that matches the event type. A subscription matches if it contains any of them. */
export const patternsMatching = (type: string): string[] =>
  type === 'webhook.ping' ? [] : ['*', `${type.split('.')[0]!}.*`, type]
