import { publicUrlOf } from '@hosting/core/configuration'
import type { DeliverySummary } from '../../../api/schemas/delivery.ts'
import type { WebhookRecord } from '../../../api/schemas/webhook.ts'
import { getDeliveryRoute } from '../../../api/routes/webhook-deliveries.ts'
import type { SignedInRequest } from '../../page.ts'
import { CopyButton } from '../../view/copyable.tsx'
import { agentText } from './agent-text.ts'

/** Reads the text for an agent; undefined unless the endpoint is failing, or was disabled because it was. */
export async function readAgentText(
  { call, services }: SignedInRequest,
  webhook: WebhookRecord,
  newest: readonly DeliverySummary[],
): Promise<string | undefined> {
  if (webhook.health.state !== 'failing' && webhook.disabled_reason !== 'failing') return undefined
  const failed = newest.find((delivery) => delivery.last_attempt?.error_class != null)
  const read = failed && (await call(getDeliveryRoute, { params: { id: failed.id } }))
  const { command } = services.brand
  return agentText(webhook, read?.delivery, { publicUrl: publicUrlOf(services.config), command })
}

/** A text to copy for an agent that fixes the receiver. */
export const FixWithAgent = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <details class="details">
      <summary>Fix with an agent</summary>
      <div>
        <CopyButton of="agent-text" name="the text for an agent" />
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
        <pre id="agent-text" tabIndex={0} aria-label="Text for an agent">
          {text}
        </pre>
      </div>
    </details>
  )
