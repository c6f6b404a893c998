import { randomUUID } from 'node:crypto'
import { demoTenantId } from './demo.ts'
import type { Call } from './http.ts'

/** Publishes an event of the demo organization, as a service of the platform does. */
export async function publishDemoEvent(callInternal: Call, id: string): Promise<void> {
  await callInternal('POST', '/events', {
    id,
    type: 'site.created',
    tenant_id: demoTenantId,
    data: {
      object_type: 'site',
      object_id: randomUUID(),
      account_id: randomUUID(),
      primary_domain: 'www.acme.example',
    },
  })
}
