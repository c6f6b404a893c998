import type { DeliveryStatus } from '@hosting/core'
import type { DeliverySummary, KeyRecord, WebhookRecord } from '../endpoints.ts'
import { Badge } from './parts.tsx'

// States in people's words. The word says it all; its colour only repeats it.

export const KeyStatus = ({ status }: Pick<KeyRecord, 'status'>) => {
  if (status === 'active') return <Badge tone="ok">Active</Badge>
  return status === 'expired' ? (
    <Badge tone="warn">Expired</Badge>
  ) : (
    <Badge tone="bad">Revoked</Badge>
  )
}

const deliveryWords: Readonly<
  Record<DeliveryStatus, readonly [string, 'ok' | 'warn' | 'bad' | 'info' | undefined]>
> = {
  queued: ['Queued', 'info'],
  in_flight: ['Being sent', 'info'],
  waiting_retry: ['Waiting for retry', 'warn'],
  waiting_endpoint: ['Waiting for endpoint', undefined],
  succeeded: ['Delivered', 'ok'],
  dead: ['Failed', 'bad'],
}

export const deliveryWord = (status: DeliveryStatus): string => deliveryWords[status][0]

export function DeliveryState({ status }: Pick<DeliverySummary, 'status'>) {
  const [word, tone] = deliveryWords[status]
  return <Badge {...(tone && { tone })}>{word}</Badge>
}

/** How an endpoint fares, at a glance. */
export function Health({ webhook }: { webhook: WebhookRecord }) {
  const { enabled, last_success_at: success, last_failure_at: failure } = webhook
  if (!enabled) return <Badge>Disabled</Badge>
  if (!success && !failure) return <Badge>Nothing sent yet</Badge>
  if (!failure || (success && success > failure)) return <Badge tone="ok">Healthy</Badge>
  return <Badge tone="bad">Failing</Badge>
}

const errorWords: Readonly<Record<string, string>> = {
  address_not_public: 'The address is not public',
  dns_error: 'The name was not found',
  connection_refused: 'The connection was refused',
  connection_reset: 'The connection broke off',
  connect_timeout: 'No connection in time',
  timeout: 'No answer within 10 seconds',
  tls_error: 'TLS failed; look at the certificate',
  redirect: 'A redirect; they are not followed',
  http_error: 'The answer was not 2xx',
  protocol_error: 'The answer was no valid HTTP',
  internal_error: 'A fault on our side',
}

/** Why an attempt failed, in words. */
export const errorWord = (errorClass: string): string => errorWords[errorClass] ?? errorClass
