import { endpointName } from '@hosting/core/webhooks'
import type { WebhookRecord } from '../../../api/schemas/webhook.ts'

/** Breadcrumbs from the list to an endpoint. */
export const endpointCrumbs = (webhook: Pick<WebhookRecord, 'id' | 'url' | 'description'>) =>
  [
    ['Webhooks', '/webhooks'],
    [shortened(endpointName(webhook)), `/webhooks/${webhook.id}`],
  ] as const

/** The start of a name, in one line. */
const shortened = (name: string): string => (name.length > 48 ? `${name.slice(0, 47)}…` : name)
