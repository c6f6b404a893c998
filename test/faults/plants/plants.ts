import type { RuleName } from '../checker/check.ts'
import type { ShortKind } from '../schedule/fault-kinds.ts'
import type { Patch } from './copy-build.ts'

/** A known defect, which the program must find. */
export interface Plant {
  /** Changes of the built service. */
  readonly patches: readonly Patch[]
  /** Whether the history says `fail` where the outcome is unknown. */
  readonly dropsInfo?: true
  /** The only fault of its runs. Others would excuse what it breaks. */
  readonly fault?: ShortKind
  /** The rules that show it. */
  readonly breaks: readonly RuleName[]
}

/** Leaves every record to finish-attempts.sql. Otherwise that would record what a defect of record-successes.sql misses. */
const noShortRecord: Patch = {
  file: 'packages/postgres/sql/record-successes.sql',
  find: 'DELETE FROM pending_deliveries p USING done d\n  WHERE ',
  replace: 'DELETE FROM pending_deliveries p USING done d\n  WHERE false AND ',
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
  /** The statement that locks rows of the queue reads their events (packages/postgres/README.md#records-apart-from-row-locks). */
  'partitions-and-locks': {
    fault: 'lock rows',
    breaks: ['every response is recorded'],
    patches: [
      noShortRecord,
      {
        file: 'packages/postgres/sql/finish-attempts.sql',
        find: `DELETE FROM pending_deliveries p USING done d
  WHERE p.delivery_id`,
        replace: `DELETE FROM pending_deliveries p USING done d, events e
  WHERE e.id = p.event_ref AND e.id >= uuid_v7_floor(now() - interval '1 hour')
    AND e.id <= uuid_v7_floor(now() + interval '1 hour') AND p.delivery_id`,
      },
    ],
  },
  /** A delivery leaves the queue in another transaction than the one that stores it. */
  'two-transactions': {
    breaks: ['every delivery is in one place'],
    patches: [
      noShortRecord,
      {
        file: 'packages/postgres/dist/deliveries/finish-attempts.js',
        find: 'const rows = await runPrepared(database, finishStatement, valuesOf(others));',
        replace: `const rows = await runPrepared(database, finishStatement, valuesOf(others));
    const again = others.filter(({ deliveryId, nextStep }) =>
      nextStep.status === 'succeeded' && rows.some((row) => row.deliveryId === deliveryId)).map(({ deliveryId }) => deliveryId);
    const { rows: gone } = await database.pool.query('DELETE FROM deliveries WHERE id = ANY ($1) RETURNING *', [again]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await database.pool.query(
      'INSERT INTO deliveries SELECT * FROM jsonb_populate_recordset(NULL::deliveries, $1)', [JSON.stringify(gone)]);`,
      },
    ],
  },
  /** Readers of the event log do not wait for publishes in progress (decision 0090). */
  'event-log': {
    fault: 'slow commits',
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
