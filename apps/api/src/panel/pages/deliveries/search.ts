import type { WebhookRecord } from '../../../records/webhook.ts'
import { shortUrl } from '../webhooks/crumbs.ts'

/** What a search text stands for: an id, or an endpoint. Otherwise the reason why it stands for nothing. */
export type SearchResult =
  { readonly id: string } | { readonly webhookId: string } | { readonly fault: string }

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const partOfUuid = /^[0-9a-f]+(-[0-9a-f]*)*$/i
const namedMax = 3

/** Finds what a text stands for: a delivery's or an event's id, or the only endpoint whose name or URL contains it. */
export function resolveSearch(text: string, webhooks: readonly WebhookRecord[]): SearchResult {
  if (uuid.test(text)) return { id: text }
  const wanted = text.toLowerCase()
  const exact = webhooks.filter(({ description }) => description?.toLowerCase() === wanted)
  const matching =
    exact.length === 1
      ? exact
      : webhooks.filter(({ url, description }) =>
          [url, description].some((name) => name?.toLowerCase().includes(wanted)),
        )
  const [only] = matching
  if (only && matching.length === 1) return { webhookId: only.id }
  if (matching.length > 1) return { fault: describeMatches(text, matching) }
  return {
    fault:
      partOfUuid.test(text) && /\d/.test(text)
        ? `“${text}” is not a complete ID. IDs have 36 characters: copy the ID from its page or from the headers of the delivery.`
        : `No endpoint has “${text}” in its description or URL. Enter the name of an endpoint, or a complete event or delivery ID.`,
  }
}

function describeMatches(text: string, matching: readonly WebhookRecord[]): string {
  const names = matching.map(({ url, description }) => `“${description ?? shortUrl(url)}”`)
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : ''
  return `${matching.length} endpoints contain “${text}”: ${names.slice(0, namedMax).join(', ')}${more}. Enter more of the name, or choose the endpoint from the list.`
}
