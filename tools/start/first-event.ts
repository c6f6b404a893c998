import { randomUUID } from 'node:crypto'
import { demoTenantId } from './demo.ts'
import type { Call } from './http.ts'
import type { Receiver } from './receiver.ts'
import { say } from './say.ts'

const arrivalMsMax = 30_000

/** Publishes an event as a service of the platform would, and waits until it has arrived. */
export async function showOneEvent(
  callInternal: Call,
  receiver: Receiver,
  lifetime: AbortSignal,
): Promise<void> {
  const id = randomUUID()
  const arrival = receiver.arrivalOf(id)
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
  say(`Published:         site.created, event ${id}`)
  await Promise.race([arrival, refuse(lifetime)])
}

/** Rejects when the lifetime is over, or the event is overdue. */
async function refuse(lifetime: AbortSignal): Promise<never> {
  const signal = AbortSignal.any([lifetime, AbortSignal.timeout(arrivalMsMax)])
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  lifetime.throwIfAborted()
  throw new Error(`The event has not arrived in ${arrivalMsMax / 1_000} s: see .local/worker.log`)
}
