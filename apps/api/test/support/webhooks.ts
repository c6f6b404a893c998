import { isOfDirectory } from './audit.ts'
import type { TestApi } from '../../../../test/support/api.ts'

/** An endpoint as the API shows it, in what tests read of it. */
export interface WebhookRecord {
  readonly id: string
  readonly enabled: boolean
  readonly disabled_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly waiting_deliveries: number
}

export const url = 'https://hooks.example.com/in'

/** Subscribes an endpoint. */
export async function makeWebhook(
  api: TestApi,
  token: string,
  fields: {
    url?: string
    events?: readonly string[]
    description?: string
    enabled?: boolean
  } = {},
): Promise<WebhookRecord> {
  const body = { url, events: ['*'], ...fields }
  const response = await api.call('post', '/webhooks', { token, body })
  if (response.status !== 201) throw new Error(`An endpoint was not made: ${response.text}`)
  return response.body.webhook as WebhookRecord
}

/** The audit log of an organization, oldest first. */
export async function auditOf({ database }: TestApi, tenantId: string) {
  const rows = await database.prisma.auditEvent.findMany({
    where: { tenantId },
    orderBy: { id: 'asc' },
  })
  return rows.filter(({ action }) => !isOfDirectory(action))
}
