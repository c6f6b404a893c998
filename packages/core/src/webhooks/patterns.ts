import { eventTypes } from './event-types.ts'

/** Maximum patterns of an endpoint (docs/specification/webhooks.md#event-patterns). */
export const patternsMax = 100

const valid: ReadonlySet<string> = new Set([
  '*',
  ...[...eventTypes.values()].flatMap(({ type, resource }) =>
    resource === 'webhook' ? [] : [type, `${resource}.*`],
  ),
])

/** Every pattern that an endpoint may subscribe. */
export const eventPatterns: readonly string[] = [...valid]

/**
 * Whether the text is a pattern that an endpoint may subscribe: `*`, `<resource>.*` or an exact type of
 * the table. `webhook.ping` is sent on request alone and cannot be subscribed.
 */
export const isEventPattern = (text: string): boolean => valid.has(text)

/** Every pattern that matches the event type: a subscription matches if it holds any of them. */
export const patternsMatching = (type: string): string[] =>
  type === 'webhook.ping' ? [] : ['*', `${type.split('.')[0]!}.*`, type]
