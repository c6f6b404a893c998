import type { RuleName } from './check.ts'
import { HistoryBuilder, sound, published, good, failed } from './history-builder.ts'

/** A history with one defect, and the rule that it breaks. */
export type Planted = readonly [string, RuleName, () => HistoryBuilder]

/** Losses, wrong records and repeated attempts. */
export const plantedInDeliveries: readonly Planted[] = [
  [
    'a publish that is refused while only Redis fails',
    'publishes are accepted',
    () =>
      new HistoryBuilder()
        .publish('event 1', { from: 9_000, type: 'info' })
        .fault({ kind: 'kill redis', target: 'redis' }, 8_000, 10_000),
  ],
  ['an accepted event without a delivery', 'every accepted event has its deliveries', published],
  [
    'an event with two deliveries to an endpoint',
    'every accepted event has its deliveries',
    () =>
      published()
        .delivery(sound)
        .delivery({ ...sound, id: 'd2' }),
  ],
  [
    'a delivery of an event that nobody published',
    'every accepted event has its deliveries',
    () => new HistoryBuilder().delivery(sound),
  ],
  [
    'a delivery of an event whose publish was refused',
    'every accepted event has its deliveries',
    () => new HistoryBuilder().publish('event 1', { type: 'fail' }).delivery(sound),
  ],
  [
    'a delivery that a reader saw in two places',
    'every delivery is in one place',
    () =>
      published()
        .delivery(sound)
        .call('read places', { from: 210, value: {}, result: { misplaced: ['d1: in 2 places'] } })
        .call('read places', { from: 900, value: {}, result: { misplaced: [] } }),
  ],
  [
    'a delivery that never ends',
    'every delivery ends',
    () => published().delivery({ ...sound, record: { outcome: null } }),
  ],
  [
    'a delivery that is lost: dead before its last attempt',
    'every delivery ends',
    () => published().delivery({ id: 'd1', attempts: [failed] }),
  ],
  [
    'a delivery that succeeded although its receiver got nothing',
    'the records agree with the receivers',
    () =>
      published().delivery({
        ...sound,
        attempts: [failed, { ...good, status: 500, recorded: { status: 200 } }],
      }),
  ],
  [
    'a wrong record: another status than the receiver sent',
    'the records agree with the receivers',
    () =>
      published().delivery({
        ...sound,
        attempts: [{ ...failed, recorded: { status: 404 } }, good],
      }),
  ],
  [
    'a wrong record: queued in the list, with all attempts recorded',
    'the records agree with the receivers',
    () =>
      published().delivery({
        ...sound,
        record: { listed: { status: 'queued', attemptCount: 0, lastStatus: 200 } },
      }),
  ],
  [
    'a gap in the numbers of the attempts',
    'the records agree with the receivers',
    () =>
      published().delivery({ ...sound, attempts: [failed, { ...good, recorded: { number: 3 } }] }),
  ],
  [
    'a second recorded success',
    'the records agree with the receivers',
    () => published().delivery({ id: 'd1', attempts: [{ ...failed, status: 200 }, good] }),
  ],
  [
    'a second success, which is not recorded',
    'every response is recorded',
    () =>
      published().delivery({
        id: 'd1',
        attempts: [good, { ...good, from: 30_000, to: 30_010, recorded: null }],
      }),
  ],
  [
    'more repeated requests than faults',
    'every response is recorded',
    () =>
      published()
        .delivery({
          id: 'd1',
          attempts: [0, 8_000, 16_000, 24_000].map((ms) => ({
            from: 200 + ms,
            to: 210 + ms,
            status: 200,
            ...(ms < 24_000 && { recorded: null }),
          })),
        })
        .fault({ kind: 'lock attempts', target: 'postgres' }, 100, 24_000),
  ],
  [
    'a repeated request, although its record only waited for the rows of another transaction',
    'every response is recorded',
    () =>
      published()
        .delivery({
          id: 'd1',
          attempts: [
            { ...good, recorded: null },
            { ...good, from: 15_000, to: 15_010 },
          ],
        })
        .fault({ kind: 'lock rows', target: 'postgres' }, 100, 4_000),
  ],
  [
    'two attempts at the same time',
    'one attempt at a time',
    () =>
      published()
        .delivery({
          id: 'd1',
          attempts: [
            { from: 200, to: 2_200, status: null, recorded: null },
            { ...good, from: 700, to: 710 },
          ],
        })
        .fault({ kind: 'kill redis', target: 'redis' }, 100, 1_000),
  ],
]
