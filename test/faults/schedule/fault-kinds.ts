import type { FaultTarget } from '../history/entries.ts'

/** The faults of a schedule: what each affects, and how long it lasts, in seconds. */
export const faultKinds = {
  'kill worker': { target: 'worker', seconds: [0.5, 4] },
  'restart worker': { target: 'worker', seconds: [0.1, 1] },
  'stop worker': { target: 'worker', seconds: [1, 12] },
  'wrong clock of a worker': { target: 'worker', seconds: [5, 12] },
  'fail point of a worker': { target: 'worker', seconds: [8, 12] },
  'kill api': { target: 'api', seconds: [0.5, 4] },
  'restart api': { target: 'api', seconds: [0.1, 1] },
  'stop api': { target: 'api', seconds: [1, 6] },
  'fail point of an api': { target: 'api', seconds: [8, 12] },
  'kill postgres': { target: 'postgres', seconds: [0.5, 3] },
  'stop postgres': { target: 'postgres', seconds: [1, 12] },
  'terminate sessions': { target: 'postgres', seconds: [0.1, 1] },
  'lock attempts': { target: 'postgres', seconds: [2, 16] },
  'lock deliveries': { target: 'postgres', seconds: [2, 10] },
  'lock rows': { target: 'postgres', seconds: [3, 8] },
  'read-only database': { target: 'postgres', seconds: [2, 8] },
  'full disk': { target: 'postgres', seconds: [2, 10] },
  'silent connections to postgres': { target: 'postgres', seconds: [2, 10] },
  'reset connections to postgres': { target: 'postgres', seconds: [0.1, 1] },
  'slow connections to postgres': { target: 'postgres', seconds: [2, 8] },
  'kill redis': { target: 'redis', seconds: [0.5, 5] },
  'stop redis': { target: 'redis', seconds: [1, 8] },
  'flush redis': { target: 'redis', seconds: [0.1, 1] },
  'repeated jobs': { target: 'redis', seconds: [2, 5] },
  'silent connections to redis': { target: 'redis', seconds: [2, 10] },
  'reset connections to redis': { target: 'redis', seconds: [0.1, 1] },
  'failing receiver': { target: 'receiver', seconds: [2, 10] },
  'hanging receiver': { target: 'receiver', seconds: [2, 8] },
  'closing receiver': { target: 'receiver', seconds: [1, 6] },
} as const satisfies Record<
  string,
  { readonly target: FaultTarget; readonly seconds: readonly [number, number] }
>

export type FaultKind = keyof typeof faultKinds
