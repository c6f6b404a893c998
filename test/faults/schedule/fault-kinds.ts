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
  'slow commits': { target: 'postgres', seconds: [4, 10] },
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

/**
 * Stalls: each lasts longer than several leases, the service's longest time limit or both, and nothing else fails
 * meanwhile. `ways`: whether the services connect to PostgreSQL directly or through PgBouncer.
 */
export const stallKinds = {
  'long stop of postgres': { target: 'postgres', seconds: [28, 34], ways: ['direct', 'pooled'] },
  'long lock of rows': { target: 'postgres', seconds: [22, 28], ways: ['direct', 'pooled'] },
  'long lock of tables': { target: 'postgres', seconds: [28, 34], ways: ['direct', 'pooled'] },
  'long lock of statistics': { target: 'postgres', seconds: [42, 48], ways: ['direct'] },
  'full small disk': { target: 'postgres', seconds: [22, 28], ways: ['direct'] },
  'silent postgres': { target: 'postgres', seconds: [23, 27], ways: ['direct'] },
  'silent redis': { target: 'redis', seconds: [18, 22], ways: ['direct'] },
  'kill pooler': { target: 'postgres', seconds: [1, 3], ways: ['pooled'] },
  'stop pooler': { target: 'postgres', seconds: [18, 22], ways: ['pooled'] },
} as const satisfies Record<
  string,
  {
    readonly target: FaultTarget
    readonly seconds: readonly [number, number]
    readonly ways: readonly Way[]
  }
>

/** How the services connect to PostgreSQL. */
export type Way = 'direct' | 'pooled'

export type ShortKind = keyof typeof faultKinds
export type StallKind = keyof typeof stallKinds
export type FaultKind = ShortKind | StallKind
