import { describe, expect, test } from '@jest/globals'
import { checkHistory, type RuleName } from './check.ts'
import { stallKinds } from '../schedule/fault-kinds.ts'
import {
  endpointA,
  failed,
  good,
  HistoryBuilder,
  keyK,
  published,
  sound,
} from './history-builder.ts'
import { plantedInDeliveries } from './planted-deliveries.ts'
import { audit, plantedElsewhere } from './planted-elsewhere.ts'
import { loggedHistory, plantedInLog } from './planted-in-log.ts'
import { plantedInStalls } from './planted-stalls.ts'

const rulesBroken = (history: HistoryBuilder): RuleName[] => [
  ...new Set(checkHistory(history.entries).map(({ rule }) => rule)),
]

const of = { endpoint: endpointA.id }

describe('a correct history', () => {
  test('has no violations', () => {
    expect(checkHistory(published().delivery(sound).entries)).toEqual([])
  })

  test('may contain a response that a killed worker could not record', () => {
    const history = published()
      .delivery({
        id: 'd1',
        attempts: [
          { ...failed, status: 200, recorded: null },
          { ...good, from: 8_000, to: 8_010 },
        ],
      })
      .fault({ kind: 'kill worker', target: 'worker' }, 210, 300)
    expect(rulesBroken(history)).toEqual([])
  })

  test.each([
    ['lease', 100],
    ['record', 1_500],
  ])('may contain an attempt whose %s was lost in a crash of PostgreSQL', (_lost, afterMs) => {
    const first = { from: 10_000, to: 11_000, status: 500, recorded: null }
    const history = published()
      .delivery({ id: 'd1', attempts: [first, { ...good, from: 14_000, to: 14_010 }] })
      .fault({ kind: 'kill postgres', target: 'postgres' }, first.from + afterMs, 13_000)
    expect(rulesBroken(history)).toEqual([])
  })

  test('may contain a response that a killed worker could not record before its endpoint was deleted', () => {
    const attempts = [{ ...failed, status: 200, recorded: null }]
    const record = { outcome: 'dead' as const, completedAt: 400 }
    const history = published()
      .delivery({ id: 'd1', attempts, record })
      .fault({ kind: 'kill worker', target: 'worker' }, 215, 300)
      .call('delete', { from: 350, value: of })
      .call('read audit log', audit({ 'webhook.delete': 1 }))
    expect(rulesBroken(history)).toEqual([])
  })

  test('may contain an event whose publish got no response', () => {
    const unanswered = () =>
      new HistoryBuilder()
        .publish('event 1', { type: 'info' })
        .fault({ kind: 'kill api', target: 'api' }, 90, 110)
    expect(rulesBroken(unanswered().delivery(sound))).toEqual([])
    expect(rulesBroken(unanswered())).toEqual([])
  })

  test('may contain a page of the event log that was lost and read again', () => {
    const history = loggedHistory([['event 1'], ['event 2'], []])
    const lost = { from: 100, type: 'info', value: { tenant: endpointA.tenant } } as const
    expect(rulesBroken(history.call('read log', lost))).toEqual([])
  })

  test('may contain a delivery that is dead after all attempts', () => {
    const attempts = [0, 1, 2, 3, 4, 5, 6].map((n) => ({
      ...failed,
      from: 200 + 1_300 * n,
      to: 210 + 1_300 * n,
    }))
    expect(rulesBroken(published().delivery({ id: 'd1', attempts }))).toEqual([])
  })

  test('may contain a dead delivery of a deleted endpoint', () => {
    const history = published().delivery({ id: 'd1', attempts: [failed] })
    expect(
      rulesBroken(
        history
          .call('delete', { from: 300, value: of })
          .call('read audit log', audit({ 'webhook.delete': 1 })),
      ),
    ).toEqual([])
  })

  test('may contain a request at a disabled endpoint within one lease', () => {
    const history = published()
      .call('disable', { from: 150, value: of })
      .delivery({ id: 'd1', attempts: [{ ...good, from: 400, to: 410 }] })
    expect(rulesBroken(history)).toEqual([])
  })

  test('may contain a late retry while a fault lasts', () => {
    const late = { id: 'd1', attempts: [failed, { ...good, from: 60_000, to: 60_010 }] }
    const history = published()
      .delivery(late)
      .fault({ kind: 'kill redis', target: 'redis' }, 1_000, 59_000)
    expect(rulesBroken(history)).toEqual([])
  })

  test('may contain a late answer and a late return while processes wait for a core', () => {
    const history = new HistoryBuilder()
      .call('load', { from: 10_000, value: { perCore: 8 } })
      .call('use', { from: 2_000, to: 18_000, type: 'info', value: { key: keyK.id } })
      .call('return', {
        from: 5_000,
        to: 60_000,
        value: { kind: 'stop pooler' },
        result: { deliveredMs: 40_000, readyMs: 55_000 },
      })
    expect(rulesBroken(history)).toEqual([])
  })

  const overloaded = (): HistoryBuilder =>
    published().call('load', { from: 3_000, value: { perCore: 8 } })
  const repeatedAfter = (ms: number) => ({
    id: 'd1',
    attempts: [
      { ...failed, recorded: null },
      { ...good, from: failed.from + ms, to: failed.to + ms },
    ],
  })

  test('may contain a refused publish and a repeated request while processes wait for a core', () => {
    const history = overloaded()
      .publish('event 2', { from: 5_000, type: 'fail' })
      .delivery(repeatedAfter(4_400))
    expect(rulesBroken(history)).toEqual([])
  })

  test('contains no repeated request before the time limit of the first, even then', () => {
    const history = overloaded().delivery(repeatedAfter(1_900))
    expect(rulesBroken(history)).toEqual(['one attempt at a time'])
  })

  test('may contain the secret of a rotation whose response was lost', () => {
    const attempts = [{ ...good, from: 300, to: 310, secrets: ['?'] }]
    const history = published().call('rotate', {
      from: 200,
      type: 'info',
      value: { ...of, overlapSeconds: 0 },
    })
    expect(rulesBroken(history.delivery({ id: 'd1', attempts }))).toEqual([])
  })
})

describe('a history of a run in which nothing else fails than', () => {
  test.each(Object.entries(stallKinds))(
    '%s may not contain a request that takes too long, or a late return',
    (kind, { target }) => {
      const history = new HistoryBuilder()
        .fault({ kind, target }, 1_000, 40_000)
        .call('use', { from: 2_000, to: 18_000, type: 'info', value: { key: keyK.id } })
        .call('return', { from: 30_000, to: 121_000, type: 'fail', value: { kind } })
      const broken = ['requests are answered in time', 'the service returns after a stall']
      expect(rulesBroken(history)).toEqual(expect.arrayContaining(broken))
    },
  )
})

describe('a history with', () => {
  test.each([...plantedInDeliveries, ...plantedInLog, ...plantedElsewhere, ...plantedInStalls])(
    '%s breaks the rule: %s',
    (_name, rule, build) => {
      expect(rulesBroken(build())).toContain(rule)
    },
  )
})
