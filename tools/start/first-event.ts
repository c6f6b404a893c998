import { randomUUID } from 'node:crypto'
import { demoEventType, publishDemoEvent } from './publish.ts'
import type { Call } from './http.ts'
import type { Receiver } from './receiver.ts'
import { say } from './say.ts'

const arrivalMsMax = 30_000

/** Publishes an event, and waits until it has arrived. */
export async function showOneEvent(
  callInternal: Call,
  receiver: Receiver,
  lifetime: AbortSignal,
): Promise<void> {
  const id = randomUUID()
  const arrival = receiver.arrivalOf(id)
  await publishDemoEvent(callInternal, { id, type: demoEventType })
  say(`Published:         ${demoEventType}, event ${id}`)
  await Promise.race([arrival, refuse(lifetime)])
}

/** Rejects when the lifetime is over, or the event does not arrive in time. */
async function refuse(lifetime: AbortSignal): Promise<never> {
  const signal = AbortSignal.any([lifetime, AbortSignal.timeout(arrivalMsMax)])
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  lifetime.throwIfAborted()
  throw new Error(
    `The event did not arrive within ${arrivalMsMax / 1_000} s. See .local/worker.log for the reason.`,
  )
}
