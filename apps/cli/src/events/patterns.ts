import type { Client } from '@hosting/sdk'
import { CliError, exitCodes } from '../exit-codes.ts'

/** Every pattern that a webhook may subscribe to: `*`, `<resource>.*` and the types themselves. */
export async function readPatterns(client: Client): Promise<string[]> {
  const { items } = await client.GET('/webhooks/event-types')
  const subscribable = items.filter(({ resource }) => resource !== 'webhook')
  const groups = new Set(subscribable.map(({ resource }) => `${resource}.*`))
  return ['*', ...groups, ...subscribable.map(({ type }) => type)]
}

/** Refuses a pattern that the API would refuse in a webhook, because no event would ever match it. */
export async function requirePatterns(client: Client, patterns: readonly string[]): Promise<void> {
  if (patterns.every((pattern) => pattern === '*')) return
  const valid = await readPatterns(client)
  const invalid = patterns.find((pattern) => !valid.includes(pattern))
  if (invalid === undefined) return
  const message = `--event-type ${invalid} is not an event type, <resource>.* or *.`
  throw new CliError('validation_failed', message, {
    exitCode: exitCodes.usage,
    hint: 'hctl events types shows the valid values.',
  })
}

/** Whether an event of this type matches the pattern. */
export const matchesPattern = (pattern: string, type: string): boolean =>
  pattern === '*' ||
  pattern === type ||
  (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))
