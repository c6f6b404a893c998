import { eventTypes } from '@hosting/core/webhooks'
import { demoTenantId } from './demo.ts'
import type { Call } from './http.ts'

/** What is published where no type is given. */
export const demoEventType = 'site.created'

export interface DemoEvent {
  readonly id: string
  readonly type: string
}

/** Publishes an event of the demo organization, with the example of its type, as a service of the platform does. */
export async function publishDemoEvent(callInternal: Call, { id, type }: DemoEvent): Promise<void> {
  const { example } = eventTypes.get(type)!
  await callInternal('POST', '/events', { id, type, tenant_id: demoTenantId, data: example })
}
