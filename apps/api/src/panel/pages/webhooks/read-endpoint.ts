import { webhookStatsRoute } from '../../../api/routes/webhook-stats.ts'
import { getWebhookRoute } from '../../../api/routes/webhooks.ts'
import type { SignedInRequest } from '../../page.ts'
import type { Attempted } from './failure-rate.tsx'

/** Reads what the header of an endpoint's pages shows. */
export async function readAttempted({
  call,
  params: { id },
}: Pick<SignedInRequest<{ readonly id: string }>, 'call' | 'params'>): Promise<Attempted> {
  const { webhook } = await call(getWebhookRoute, { params: { id } })
  const { buckets } = await call(webhookStatsRoute, { params: { id } })
  return { webhook, buckets }
}
