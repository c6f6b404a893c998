import { watchLiveness } from '@hosting/process'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { until } from '../../../test/support/until.ts'

const limits = { everyMs: 2, deadChecksMax: 5 }
/** Well beyond the number of checks that make a process dead. */
const manyChecks = 20

/** A server that responds as told, and counts how often it was asked. */
function makeServer(name: string) {
  const state = { name, works: (_check: number) => true, accepts: true, checks: 0 }
  return Object.assign(state, {
    responds: async () => {
      state.checks += 1
      return state.works(state.checks)
    },
    acceptsConnections: async () => state.accepts,
  })
}

const always = () => true
const never = () => false
const logged: unknown[] = []
const log = { error: (fields: unknown) => void logged.push(fields) }
const redis = makeServer('Redis')
const postgres = makeServer('PostgreSQL')
const liveness = watchLiveness([redis, postgres], log as never, limits)
const findReason = async () => liveness.findReason()
const afterManyChecks = () => {
  const before = redis.checks
  return until(
    async () => redis.checks - before,
    (checks) => checks > manyChecks,
  )
}
afterEach(() => {
  Object.assign(redis, { works: always, accepts: true })
  return until(findReason, (reason) => reason === undefined)
})
afterAll(() => liveness.stop())

test('a process whose connections work is alive', async () => {
  await afterManyChecks()
  expect(liveness.findReason()).toBeUndefined()
})

test('a process whose connections are all dead must be restarted if a new connection works', async () => {
  redis.works = never
  const reason = await until(findReason, (found) => found !== undefined)
  expect(reason).toBe('No connection of this process to Redis works, but a new one does.')
  expect(logged).toEqual([{ server: 'Redis' }])
  await afterManyChecks()
  expect(logged).toHaveLength(1)
})

test('an outage of a server does not require a restart', async () => {
  Object.assign(redis, { works: never, accepts: false })
  await afterManyChecks()
  expect(liveness.findReason()).toBeUndefined()
})

test('short-lived connections do not require a restart', async () => {
  redis.works = (check) => check % limits.deadChecksMax === 0
  await afterManyChecks()
  expect(liveness.findReason()).toBeUndefined()
})
