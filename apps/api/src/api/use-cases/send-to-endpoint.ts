import type { AuditAction } from '@hosting/core/audit'
import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { notFound, Problem } from '@hosting/core/problems'
import { freezeEnvelope, subjectOf } from '@hosting/core/webhooks'
import { publishToEndpoint, withExpectedStart } from '@hosting/postgres/deliveries'
import { lockEndpoint } from '@hosting/postgres/webhooks'
import { currentTraceParent } from '@hosting/process'
import { toDeliveryRecord, toNewDelivery } from '../records/delivery.ts'
import type { Needs } from '../services.ts'
import { recordChange, type RequestContext } from './audit.ts'
import { addFirstJobAfter } from '../publishing/first-jobs.ts'

/** An event for one endpoint. */
interface SingleSend {
  readonly endpointId: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly audit: { readonly action: AuditAction; readonly details?: Record<string, unknown> }
}

/** Publishes an event to one enabled endpoint, regardless of its subscriptions. */
export async function sendToEndpoint(
  services: Needs<'attempts' | 'database' | 'jobAdmission' | 'log' | 'metrics'>,
  context: RequestContext,
  { endpointId, type, data, audit }: SingleSend,
) {
  const { tx } = context.work
  const tenantId = context.caller.tenant.id
  const endpoint = await lockEndpoint(tx, tenantId, endpointId)
  if (!endpoint) throw notFound()
  if (!endpoint.enabled) throw new Problem('webhook_disabled')
  const [id, createdAt] = [createUuidv7(), currentTime()]
  const subject = subjectOf(data)
  const event = { id, tenantId, endpointId, type, createdAt, subject }
  const payload = freezeEnvelope({
    id,
    type,
    created_at: createdAt.toISOString(),
    tenant_id: tenantId,
    data,
  })
  const heldForMs = services.jobAdmission.holdMsOf({ tenantId, endpointId })
  const traced = { ...event, payload, traceParent: currentTraceParent() }
  const { deliveryId, dueAt } = await publishToEndpoint(tx, traced, heldForMs)
  addFirstJobAfter(context.work, services, { deliveryId, tenantId, endpointId, heldForMs })
  await recordChange(context, { ...audit, target: { type: 'webhook', id: endpointId } })
  const created = toNewDelivery(deliveryId, { event, endpoint, dueAt, redeliveryOf: null })
  const delivery = await withExpectedStart(tx, created)
  return { delivery: toDeliveryRecord(delivery, [], payload) }
}
