import { endpointA, failed, good, HistoryBuilder, published, sound } from './history-builder.ts'
import type { Planted } from './planted-deliveries.ts'

const of = { endpoint: endpointA.id }

const fault = (kind: string, from = 1_000, to = 30_000) =>
  new HistoryBuilder().fault({ kind, target: 'postgres' }, from, to)

const refusal = (status: number, further: object = {}) => ({
  from: 2_000,
  to: 3_000,
  type: 'info' as const,
  value: { ...of, description: 'one' },
  refusal: { status, ...further },
})

const changes = (descriptions: string[], mixed: string[] = []) => ({
  from: 900_000,
  value: {},
  result: { descriptions, mixed },
})

const describe = (type: 'ok' | 'fail') => ({
  from: 100,
  type,
  value: { ...of, description: 'one' },
})

/** What only stalls show. */
export const plantedInStalls: readonly Planted[] = [
  [
    'a publish that takes too long while PostgreSQL is stopped',
    'requests are answered in time',
    () =>
      fault('long stop of postgres').call('publish', {
        from: 2_000,
        to: 18_000,
        type: 'info',
        value: { events: [] },
        refusal: { status: 503, retryAfter: '1' },
      }),
  ],
  [
    'a page that is never answered',
    'requests are answered in time',
    () =>
      new HistoryBuilder().call('visit', {
        from: 1_000,
        to: 21_000,
        type: 'info',
        value: { path: 'page /webhooks' },
      }),
  ],
  [
    'a change that fails with 500',
    'refusals are 503',
    () => fault('long lock of rows').call('describe', refusal(500)),
  ],
  [
    'a refused publish that does not say when to repeat',
    'refusals are 503',
    () => fault('full small disk').call('publish', { ...refusal(503), value: { events: [] } }),
  ],
  [
    'deliveries that go on late',
    'the service returns after a stall',
    () =>
      new HistoryBuilder().call('return', {
        from: 1_000,
        value: { kind: 'silent postgres' },
        result: { deliveredMs: 31_000, readyMs: 20_000 },
      }),
  ],
  [
    'a process that does not become ready again',
    'the service returns after a stall',
    () =>
      new HistoryBuilder().call('return', {
        from: 1_000,
        type: 'fail',
        value: { kind: 'silent postgres' },
      }),
  ],
  [
    'a worker that is ready although it cannot record',
    'stalls are noticed',
    () =>
      fault('long lock of statistics').call('read readiness', {
        from: 20_000,
        value: { process: 'worker 1' },
        result: { status: 200, unavailable: [] },
      }),
  ],
  [
    'a lock that keeps no change from being made',
    'stalls are noticed',
    () => fault('long lock of rows').call('describe', { ...describe('ok'), from: 5_000 }),
  ],
  [
    'a full disk that keeps no event from being accepted',
    'stalls are noticed',
    () => fault('full small disk').publish('event 1', { from: 5_000 }).delivery(sound),
  ],
  [
    'a process that starts without PostgreSQL and does not say why it ends',
    'processes say why they do not start',
    () =>
      new HistoryBuilder().call('start in vain', {
        from: 100,
        value: { process: 'api' },
        result: { code: 1, output: 'TypeError' },
      }),
  ],
  [
    'more sessions than the pools hold',
    'sessions stay within the pools',
    () =>
      fault('long stop of postgres').call('read sessions', {
        from: 31_000,
        value: { most: 84 },
        result: { count: 85 },
      }),
  ],
  [
    'a change that was accepted and is not committed',
    'changes are committed alone',
    () => new HistoryBuilder().call('describe', describe('ok')).call('read changes', changes([])),
  ],
  [
    'a change that was refused and is committed',
    'changes are committed alone',
    () =>
      new HistoryBuilder()
        .call('describe', describe('fail'))
        .call('read changes', changes(['one'])),
  ],
  [
    "a change that was committed in another one's transaction",
    'changes are committed alone',
    () => new HistoryBuilder().call('read changes', changes(['one'], ['one, two, audit row'])),
  ],
  [
    'a request of which PostgreSQL knows nothing',
    'receivers get only what is recorded',
    () =>
      published().call('deliver', {
        from: failed.from,
        value: { ...of, delivery: 'd1', event: 'event 1', secrets: [] },
        result: { status: good.status! },
      }),
  ],
]
