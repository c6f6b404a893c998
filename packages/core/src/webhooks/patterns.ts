import { eventTypes } from './event-types.ts'

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
