import { createSender } from '../../apps/worker/src/delivery/send.ts'
import { createNodeHttpSender } from './node-http.ts'
import { createUndiciSender } from './undici.ts'

/** What may stand behind the seam. */
export const senders = {
  got: createSender,
  'node-http': createNodeHttpSender,
  undici: createUndiciSender,
} as const satisfies Readonly<Record<string, typeof createSender>>
