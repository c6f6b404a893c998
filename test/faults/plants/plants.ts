import type { RuleName } from '../checker/check.ts'
import type { Patch } from './copy-build.ts'

/** A known defect, which the program must find. */
export interface Plant {
  /** Changes of the built service. */
  readonly patches: readonly Patch[]
  /** Whether the history says `fail` where the outcome is unknown. */
  readonly dropsInfo?: true
  /** The rules that show it. */
  readonly breaks: readonly RuleName[]
}

/** Defects to prove that the program finds them: `--plant NAME`. */
export const plants: Readonly<Record<string, Plant>> = {
  /** A claim ignores the lease of another process. */
  lease: {
    breaks: ['one attempt at a time'],
    patches: [
      {
        file: 'packages/postgres/sql/claim-unthrottled-attempts.sql',
        find: 'AND (p.lease_id IS NULL OR p.held_until < now() OR p.lease_id = j.lease_id)',
        replace: '',
      },
    ],
  },
  /** An attempt is recorded before it is sent. */
  'record-first': {
    breaks: ['the records agree with the receivers'],
    patches: [
      {
        file: 'apps/worker/dist/delivery/make-attempt.js',
        find: 'const finished = await send(services, ready, onSlowLookup);',
        replace: `const sender = { send: async () => ({ statusCode: 200, errorClass: null }) };
            const finished = await send({ ...services, sender }, ready);`,
      },
      {
        file: 'apps/worker/dist/delivery/make-attempt.js',
        find: 'observeAttempt(services, finished, span);',
        replace: 'observeAttempt(services, finished, span); await send(services, ready);',
      },
    ],
  },
  /** Outcomes are written by the statement that locks rows of the queue (decision 0070). */
  'partitions-and-locks': {
    breaks: ['every delivery ends', 'nothing needs repair'],
    patches: [
      {
        file: 'packages/postgres/sql/finish-attempts.sql',
        find: '), records AS (',
        replace: `), outcomes AS (
    UPDATE deliveries d SET outcome = ended.outcome::delivery_outcome, dead = ended.outcome = 'dead',
      attempt_count = ended.number, completed_at = now()
    FROM ended WHERE d.id = ended.delivery_id AND d.id BETWEEN :firstId AND :lastId
  ), records AS (`,
      },
      {
        file: 'packages/postgres/sql/finish-attempts.sql',
        find: 'SELECT record_attempts(',
        replace: 'SELECT insert_attempts(',
      },
      {
        file: 'packages/postgres/sql/finish-attempts.sql',
        find: `array_agg(error_class),
    array_agg(outcome::delivery_outcome))`,
        replace: 'array_agg(error_class))',
      },
      {
        file: 'packages/postgres/dist/deliveries/finish-attempts.js',
        find: 'finishStatement, valuesOf(finished)',
        replace: `finishStatement, {
          ...valuesOf(finished),
          firstId: finished.map((each) => each.deliveryId).toSorted()[0],
          lastId: finished.map((each) => each.deliveryId).toSorted().at(-1),
        }`,
      },
      {
        file: 'packages/postgres/dist/deliveries/finish-attempts.js',
        find: 'slowLaneMs: float',
        replace: 'slowLaneMs: float, firstId: uuid, lastId: uuid',
      },
    ],
  },
  /** Readers of the event log do not wait for publishes in progress (decision 0090). */
  'event-log': {
    breaks: ['the event log is complete and in order'],
    patches: [
      {
        file: 'prisma/functions/event_log_horizon.sql',
        find: 'AND l.granted;',
        replace: 'AND NOT l.granted;',
      },
    ],
  },
  /** A call without a response counts as one that did not happen. */
  info: {
    breaks: ['every accepted event has its deliveries', 'keys end', 'the audit log is complete'],
    patches: [],
    dropsInfo: true,
  },
}
