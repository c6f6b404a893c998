import {
  endpointA,
  failed,
  good,
  HistoryBuilder,
  keyK,
  published,
  sound,
} from './history-builder.ts'
import type { Planted } from './planted-deliveries.ts'

const of = { endpoint: endpointA.id }

export const audit = (counts: Record<string, number>, errors: string[] = []) => ({
  from: 900_000,
  value: {},
  result: { errors, counts, unsealed: 0 },
})

const use = (from: number, type: 'ok' | 'fail' = 'ok') => ({
  from,
  type,
  value: { key: keyK.id },
  result: {},
})

/** Wrong times, signatures, keys, requests and counts. */
export const plantedElsewhere: readonly Planted[] = [
  [
    'an early retry',
    'retries are in time',
    () =>
      published().delivery({ ...sound, attempts: [failed, { ...good, from: 1_100, to: 1_110 }] }),
  ],
  [
    'a late retry',
    'retries are in time',
    () =>
      published().delivery({ ...sound, attempts: [failed, { ...good, from: 20_000, to: 20_010 }] }),
  ],
  [
    'a request after a recorded success',
    'nothing starts after the end',
    () =>
      published().delivery({
        id: 'd1',
        attempts: [good, { ...good, from: 30_000, to: 30_010, recorded: null }],
        record: { completedAt: 1_400 },
      }),
  ],
  [
    'a request after a deletion',
    'nothing starts after the end',
    () =>
      published()
        .call('delete', { from: 300, value: of })
        .delivery({ ...sound, attempts: [failed, { ...good, from: 9_000, to: 9_010 }] }),
  ],
  [
    'a request at a disabled endpoint',
    'nothing starts after the end',
    () =>
      published()
        .call('disable', { from: 300, value: of })
        .delivery({ ...sound, attempts: [failed, { ...good, from: 9_000, to: 9_010 }] }),
  ],
  [
    'a throttle that is exceeded',
    'the throttle is kept',
    () => {
      const history = new HistoryBuilder().call('throttle', {
        from: 0,
        value: { ...of, perSecond: 1 },
      })
      for (const n of [1, 2, 3, 4])
        history.delivery({
          id: `d${n}`,
          attempts: [{ from: 5_000 + 20 * n, to: 5_010 + 20 * n, status: 200 }],
        })
      return history
    },
  ],
  [
    'a signature with a secret that has ended',
    'signatures are valid',
    () =>
      published()
        .call('rotate', {
          from: 200,
          value: { ...of, overlapSeconds: 0 },
          result: { secret: 'secret 2' },
        })
        .delivery({
          id: 'd1',
          attempts: [{ ...good, from: 9_000, to: 9_010, secrets: ['secret 2', 'secret 1'] }],
        }),
  ],
  [
    'a signature without the newest secret',
    'signatures are valid',
    () =>
      published()
        .call('rotate', {
          from: 200,
          value: { ...of, overlapSeconds: 60 },
          result: { secret: 'secret 2' },
        })
        .delivery({
          id: 'd1',
          attempts: [{ ...good, from: 9_000, to: 9_010, secrets: ['secret 1'] }],
        }),
  ],
  [
    'a late revocation',
    'keys end',
    () =>
      published()
        .delivery(sound)
        .call('revoke', { from: 100, value: { key: keyK.id } })
        .call('use', use(200)),
  ],
  [
    'a valid key that is refused',
    'keys end',
    () => new HistoryBuilder().call('use', use(200, 'fail')),
  ],
  [
    'a key that is used after its expiry',
    'keys end',
    () => new HistoryBuilder({ keys: [{ ...keyK, expiresAt: 1_000 }] }).call('use', use(4_000)),
  ],
  [
    'a rate limit that is exceeded',
    'the rate limit is kept',
    () =>
      [1, 2, 3, 4].reduce(
        (history, n) => history.call('use', use(10_000 * n)),
        new HistoryBuilder(),
      ),
  ],
  [
    'an Idempotency-Key that made two deliveries',
    'requests are carried out once',
    () =>
      ['p1', 'p2'].reduce(
        (history, delivery) =>
          history.call('ping', {
            from: 100,
            value: { ...of, idempotencyKey: 'k' },
            result: { delivery },
          }),
        new HistoryBuilder(),
      ),
  ],
  [
    'a ping that was carried out twice',
    'requests are carried out once',
    () => {
      const ping = { record: { type: 'webhook.ping', event: 'event 2' }, attempts: [good] }
      return new HistoryBuilder()
        .call('ping', {
          from: 100,
          value: { ...of, idempotencyKey: 'k' },
          result: { delivery: 'p1' },
        })
        .delivery({ id: 'p1', ...ping })
        .delivery({ id: 'p2', ...ping })
    },
  ],
  [
    'a recovery that left out a dead delivery',
    'recoveries are complete',
    () =>
      published()
        .delivery({ id: 'd1', attempts: [failed] })
        .call('recover', { from: 9_000, value: of }),
  ],
  [
    'a broken count of attempts',
    'counters equal a recount',
    () =>
      new HistoryBuilder().call('read endpoint', {
        from: 100,
        value: of,
        result: { ...of, succeeded: 2, failed: 0, succeededRows: 1, failedRows: 0, waiting: 0 },
      }),
  ],
  [
    'a change without an audit entry',
    'the audit log is complete',
    () =>
      new HistoryBuilder()
        .call('disable', { from: 100, value: of })
        .call('read audit log', audit({})),
  ],
  [
    'a broken chain of the audit log',
    'the audit log is complete',
    () => new HistoryBuilder().call('read audit log', audit({}, ['the entry was removed'])),
  ],
  [
    'a defect in a log',
    'no defect is logged',
    () => new HistoryBuilder().call('log', { from: 100, value: { report: 'because of a defect' } }),
  ],
  [
    'a process that ended by itself',
    'processes keep running',
    () =>
      new HistoryBuilder().call('exit', { from: 100, value: { report: 'worker 1 ended with 1' } }),
  ],
]
