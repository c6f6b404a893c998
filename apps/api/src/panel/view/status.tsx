import type { DeliveryStatus } from '@hosting/core'
import type { KeyRecord } from '../../records/api-key.ts'
import type { DeliverySummary } from '../../records/delivery.ts'
import type { WebhookRecord } from '../../records/webhook.ts'
import { Badge } from './components.tsx'

// Status labels. The text carries the meaning; the color repeats it.

export const KeyStatus = ({ status }: Pick<KeyRecord, 'status'>) => {
  if (status === 'active') return <Badge tone="ok">Active</Badge>
  return status === 'expired' ? (
    <Badge tone="warn">Expired</Badge>
  ) : (
    <Badge tone="bad">Revoked</Badge>
  )
}

const deliveryLabels: Readonly<
  Record<DeliveryStatus, readonly [string, 'ok' | 'warn' | 'bad' | 'info' | undefined]>
> = {
  queued: ['Queued', 'info'],
  in_flight: ['Sending', 'info'],
  waiting_retry: ['Retrying', 'warn'],
  waiting_endpoint: ['Paused', undefined],
  succeeded: ['Delivered', 'ok'],
  dead: ['Failed', 'bad'],
}

export const deliveryLabel = (status: DeliveryStatus): string => deliveryLabels[status][0]

export function DeliveryState({ status }: Pick<DeliverySummary, 'status'>) {
  const [label, tone] = deliveryLabels[status]
  return <Badge {...(tone && { tone })}>{label}</Badge>
}

/** The health of an endpoint. */
export function Health({ webhook }: { webhook: WebhookRecord }) {
  const { enabled, last_success_at: success, last_failure_at: failure } = webhook
  if (!enabled) return <Badge>Disabled</Badge>
  if (!success && !failure) return <Badge>No attempts yet</Badge>
  if (!failure || (success && success > failure)) return <Badge tone="ok">Healthy</Badge>
  return <Badge tone="bad">Failing</Badge>
}

const errorLabels: Readonly<Record<string, string>> = {
  address_not_public: 'The URL resolves to an address that is not public',
  dns_error: 'DNS lookup failed',
  connection_refused: 'Connection refused',
  connection_reset: 'Connection reset',
  connect_timeout: 'Connection timed out',
  timeout: 'No response within 10 seconds',
  tls_error: 'TLS error: check the certificate',
  redirect: 'Redirect: redirects are not followed',
  http_error: 'The status was not 2xx',
  protocol_error: 'Invalid HTTP response',
  internal_error: 'Internal error on our side',
}

/** Describes why an attempt failed. */
export const errorLabel = (errorClass: string): string => errorLabels[errorClass] ?? errorClass
