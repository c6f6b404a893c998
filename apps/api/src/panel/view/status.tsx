import {
  deliveryStatusLabels,
  type DeliveryStatus,
  type KeyStatus as KeyStatusName,
} from '@hosting/core'
import type { DeliverySummary } from '../../records/delivery.ts'
import type { WebhookRecord } from '../../records/webhook.ts'
import { Badge } from './components.tsx'

// Status labels. The text carries the meaning; the color repeats it.

const keyLabels: Readonly<Record<KeyStatusName, readonly [string, 'ok' | 'warn' | 'bad']>> = {
  active: ['Active', 'ok'],
  disabled: ['Disabled', 'warn'],
  expired: ['Expired', 'warn'],
  revoked: ['Revoked', 'bad'],
}

export function KeyStatus({ status }: { status: KeyStatusName }) {
  const [label, tone] = keyLabels[status]
  return <Badge tone={tone}>{label}</Badge>
}

const deliveryTones: Readonly<Record<DeliveryStatus, 'ok' | 'warn' | 'bad' | 'info' | undefined>> =
  {
    queued: 'info',
    in_flight: 'info',
    waiting_retry: 'warn',
    waiting_endpoint: undefined,
    succeeded: 'ok',
    dead: 'bad',
  }

export function DeliveryState({ status }: Pick<DeliverySummary, 'status'>) {
  const tone = deliveryTones[status]
  return <Badge {...(tone && { tone })}>{deliveryStatusLabels[status]}</Badge>
}

/** The health of an endpoint. */
export function Health({ webhook }: { webhook: WebhookRecord }) {
  const { enabled, health } = webhook
  if (!enabled) return <Badge>Disabled</Badge>
  if (health.state === 'failing') return <Badge tone="bad">Failing</Badge>
  if (health.consecutive_failures > 0) return <Badge tone="warn">Last attempt failed</Badge>
  return health.state === 'healthy' ? (
    <Badge tone="ok">Healthy</Badge>
  ) : (
    <Badge>No attempts yet</Badge>
  )
}
