/**
 * The points at which a test can kill a process: the borders between two steps that no transaction unites
 * (test/README.md#faults).
 */
export const failPoints = {
  /** The Idempotency-Key is claimed, and the change has not begun. */
  'idempotency.claimed': 'api',
  /** The statements of a change have run, and their transaction is not committed. */
  'change.before-commit': 'api',
  /** The change is committed, and its effects have not run. */
  'change.committed': 'api',
  /** The effects of a change have run, and its response is not sent. */
  'change.completed': 'api',
  /** The events of several requests are about to be stored. */
  'publish.before-statement': 'api',
  /** The events are stored, and no response is sent and no job added. */
  'publish.committed': 'api',
  /** The first jobs are in Redis. */
  'publish.jobs-added': 'api',
  /** Due attempts are held for their jobs, which do not exist yet. */
  'relay.taken': 'worker',
  /** The jobs of due attempts are in Redis. */
  'relay.jobs-added': 'worker',
  /** An attempt is claimed and signed, and not sent. */
  'attempt.signed': 'worker',
  /** The receiver has responded, and the attempt is not recorded. */
  'attempt.sent': 'worker',
  /** The attempt is recorded, and its job has not ended. */
  'attempt.recorded': 'worker',
  /** A recovery has redelivered some deliveries, and the next step has not begun. */
  'recovery.step': 'worker',
  /** Deliveries of deleted endpoints have ended, and the endpoints are not marked. */
  'abandon.batch': 'worker',
  /** Audit entries are sealed, and their organization's head is not in the installation's chain. */
  'audit.sealed': 'worker',
  /** The gate in Redis knows about a revocation, and PostgreSQL still lists it as undelivered. */
  'invalidation.delivered': 'worker',
} as const satisfies Record<string, 'api' | 'worker'>

/** A name of {@link failPoints}. */
export type FailPointName = keyof typeof failPoints

/**
 * Kills this process if the environment asks for it: `FAIL_POINT=<name>:<hit>` with `NODE_ENV=test`. The process dies
 * when it reaches the point for the given time, from 1. Otherwise does nothing.
 */
export const failPoint: (name: FailPointName) => void = arm(process.env)

function arm({ NODE_ENV, FAIL_POINT }: NodeJS.ProcessEnv): (name: FailPointName) => void {
  if (NODE_ENV !== 'test' || FAIL_POINT === undefined) return () => undefined
  const [armed, hit] = FAIL_POINT.split(':')
  let hitsLeft = Number(hit)
  return (name) => {
    if (name === armed && --hitsLeft === 0) process.kill(process.pid, 'SIGKILL')
  }
}
