import { openDatabase } from '@hosting/postgres/database'
import { createLogger } from '@hosting/process'
import { afterEach, expect, test } from '@jest/globals'
import { useDatabase } from '../../../packages/postgres/test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { startDuty, type StartedDuty } from '../src/duties/duty.ts'
import { createDutyWatch, type DutyWatch } from '../src/duties/duty-watch.ts'
import { createMetrics } from '../src/metrics.ts'
import type { Services } from '../src/services.ts'

const database = useDatabase()
let duty: StartedDuty | undefined
let dutyWatch: DutyWatch | undefined
afterEach(async () => {
  await duty?.stop()
  dutyWatch?.stop()
})

/** A duty that follows the key changes that the gate missed, and finds nothing to do until there is one. */
function start(asked: Parameters<typeof createDutyWatch>[0]) {
  const rounds = { count: 0 }
  dutyWatch = createDutyWatch(asked)
  const log = createLogger('worker', 'silent')
  const services = { metrics: createMetrics(), log, dutyWatch } as Services
  duty = startDuty(
    {
      name: 'some',
      everyMs: 1,
      awaits: 'invalidations',
      run: () => {
        rounds.count += 1
        return Promise.resolve('idle' as const)
      },
    },
    services,
  )
  return rounds
}

const addWork = () =>
  database.pool.query(`INSERT INTO gate_invalidations (key_id, version) VALUES ('key000000001', 1)`)

test('an idle duty runs when there is something to do, and not before', async () => {
  const rounds = start(database)
  let looks = 0
  // The watch looks a few times meanwhile.
  await until(
    async () => (looks += 1),
    (count) => count > 60,
  )
  expect(rounds.count).toBe(1)
  await addWork()
  await until(
    async () => rounds.count,
    (count) => count > 3,
  )
  await database.pool.query('DELETE FROM gate_invalidations')
})

test('an idle duty runs while nothing can be found out, so that its failure is noticed', async () => {
  const closed = openDatabase(database.url, { onError: () => undefined })
  await closed.close()
  const rounds = start(closed)
  await until(
    async () => rounds.count,
    (count) => count > 2,
  )
})

test('a duty that waits stops at once', async () => {
  const rounds = start(database)
  await until(
    async () => rounds.count,
    (count) => count === 1,
  )
  await duty!.stop()
  expect(rounds.count).toBe(1)
})
