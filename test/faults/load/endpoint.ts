/** An event as it is published. */
export interface PublishedEvent {
  readonly id: string
  readonly tenant_id: string
  readonly type: EventType
}

type EventType = 'site.created' | 'site.deleted'

/** An endpoint of an organization. */
export interface Endpoint {
  readonly tenantId: string
  readonly url: string
  /** Which of the published types its patterns match. */
  readonly types: readonly EventType[]
}

/** The published types, alternating between events. */
export const publishedTypes: readonly EventType[] = ['site.created', 'site.deleted']

/** The subscriptions of each organization's endpoints. */
export const subscriptions: readonly (Pick<Endpoint, 'types'> & { patterns: string[] })[] = [
  // Not `*`: it would include the events about other endpoints and keys, which nobody publishes.
  { patterns: ['account.*', 'site.*'], types: ['site.created', 'site.deleted'] },
  { patterns: ['dns.*', 'site.*'], types: ['site.created', 'site.deleted'] },
  { patterns: ['site.created'], types: ['site.created'] },
]

/** The endpoints that an event goes to. */
export const endpointsOf = (
  { tenant_id, type }: PublishedEvent,
  endpoints: readonly Endpoint[],
): readonly Endpoint[] =>
  endpoints.filter(({ tenantId, types }) => tenantId === tenant_id && types.includes(type))
