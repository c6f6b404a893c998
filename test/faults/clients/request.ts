import { callerOf, type CallerResponse, type CallerOptions } from '../../support/caller.ts'
import type { Outcome } from '../history/entries.ts'
import type { Served } from '../system/service-slot.ts'

/** A response of the service. `undefined`: none arrived. */
export type Reply = CallerResponse | undefined

/** A client gives up on a response after this time, in ms: the service is to answer before. */
const patienceMs = 20_000

/** Sends a request to the public API of a process. */
export const callPublic = (
  slot: Served,
  [verb, path]: readonly [string, string],
  options: CallerOptions,
): Promise<Reply> => within(slot, (caller) => caller.call(verb, path, options))

/** Publishes events through the internal API of a process. */
export const callPublish = (slot: Served, body: unknown): Promise<Reply> =>
  within(slot, (caller) => caller.callInternal('post', '/events', body))

async function within(
  { process }: Served,
  send: (caller: ReturnType<typeof callerOf>) => Promise<CallerResponse>,
): Promise<Reply> {
  // Nothing was sent, but the history does not distinguish this from a lost response.
  if (!process) return undefined
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs)
  })
  const reply = send(callerOf(process)).catch(() => undefined)
  return await Promise.race([reply, tooLate]).finally(() => clearTimeout(timer))
}

/** What a reply says about the outcome of a change: after a 5xx, it may have been made. */
export function outcomeOf(reply: Reply): Outcome {
  if (!reply || reply.status >= 500) return 'info'
  return reply.status < 300 ? 'ok' : 'fail'
}
