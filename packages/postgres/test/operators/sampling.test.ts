import {
  dropOldSamples,
  ProcessCounts,
  readOperations,
  startSampling,
  type ProcessReading,
} from '@hosting/postgres/operators'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()

beforeEach(async () => {
  await database.pool.query('TRUNCATE operations_samples')
})

const read = async () => {
  const { history, processes, interruptions } = await readOperations(database)
  if (!('value' in history && 'value' in processes && 'value' in interruptions)) throw history
  return {
    history: history.value,
    processes: processes.value,
    interruptions: interruptions.value,
  }
}

const readingOf = (counts: ProcessCounts, failed: string[] = []): ProcessReading => ({
  ...counts.take(),
  oldestDueMs: null,
  failed,
})

describe('samples of processes', () => {
  test('add up to those of the installation, each count once', async () => {
    const ends = ['api', 'api', 'worker'].map((kind, index) => {
      const counts = new ProcessCounts()
      counts.addPublished(10 * (index + 1))
      for (let ms = 0; ms < 100; ms++) counts.addAttempt(index === 2 ? ms * 10 : undefined)
      const process = { kind: kind as 'api', host: 'here', pid: index }
      return startSampling(database, process, () => readingOf(counts))
    })
    await Promise.all(ends.map((end) => end()))
    const { history, processes } = await read()
    const sum = (name: 'published' | 'attempted') =>
      history.reduce((total, point) => total + point[name], 0)
    expect([sum('published'), sum('attempted')]).toEqual([60, 300])
    expect(history.map(({ firstAttemptMs }) => firstAttemptMs).filter(Boolean)).toEqual([1_000])
    expect(processes.map(({ kind, pid, published }) => [kind, pid, published])).toEqual([
      ['api', expect.any(Number), expect.any(Number)],
      ['api', expect.any(Number), expect.any(Number)],
      ['worker', 2, 30],
    ])
  })

  test('say how long the oldest due delivery has waited, which need not be a whole number of ms', async () => {
    const end = startSampling(database, { kind: 'worker', host: 'here', pid: 1 }, () => ({
      ...readingOf(new ProcessCounts()),
      oldestDueMs: 2_421.981,
    }))
    await end()
    const { history } = await read()
    expect(history.map(({ oldestDueMs }) => oldestDueMs).filter(Boolean)).toEqual([2_422])
  })

  test('are kept for 24 hours', async () => {
    await database.pool.query(
      `INSERT INTO operations_samples
       SELECT now() - age, gen_random_uuid(), 'api', 'here', 1, 1, 0, '{}', NULL, '{}'
       FROM unnest(ARRAY['23 hours 59 min', '24 hours 1 min']::interval[]) AS age`,
    )
    expect((await read()).processes).toHaveLength(1)
    expect(await dropOldSamples(database)).toBe(1)
    expect(await dropOldSamples(database)).toBe(0)
  })
})
