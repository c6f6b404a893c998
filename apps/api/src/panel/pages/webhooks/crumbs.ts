import type { WebhookRecord } from '../../../records/webhook.ts'

/** Breadcrumbs from the list to an endpoint. */
export const endpointCrumbs = ({ id, url }: Pick<WebhookRecord, 'id' | 'url'>) =>
  [
    ['Webhooks', '/webhooks'],
    [shortUrl(url), `/webhooks/${id}`],
  ] as const

/** A URL shortened to one line: its host and the start of its path. */
export function shortUrl(url: string): string {
  const { host, pathname } = new URL(url)
  const text = `${host}${pathname === '/' ? '' : pathname}`
  return text.length > 48 ? `${text.slice(0, 47)}…` : text
}
