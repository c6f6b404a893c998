import { type KeyStatus } from '@hosting/core/api-keys'
import { deliveryStatusLabels, type DeliveryStatus } from '@hosting/core/webhooks'
import type { DeliverySummary } from '../../api/schemas/delivery.ts'
import { Badge } from './components.tsx'

// Status labels. The text carries the meaning; the color repeats it.

const keyLabels: Readonly<Record<KeyStatus, readonly [string, 'ok' | 'warn' | 'bad']>> = {
  active: ['Active', 'ok'],
  disabled: ['Disabled', 'warn'],
  expired: ['Expired', 'warn'],
  revoked: ['Revoked', 'bad'],
}

export function KeyStatusLabel({ status }: { status: KeyStatus }) {
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

/** The status of a delivery, or of several. */
export function DeliveryStatusLabel({
  status,
  count = 1,
}: Pick<DeliverySummary, 'status'> & { count?: number }) {
  const tone = deliveryTones[status]
  return (
    <Badge {...(tone && { tone })}>
      {deliveryStatusLabels[status]}
      {count > 1 && ` (${count.toLocaleString('en')})`}
    </Badge>
  )
}
