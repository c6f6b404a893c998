import { expect } from '@jest/globals'
import { Redis } from 'ioredis'
import { readiness } from './observe.ts'
import type { TcpProxy } from './tcp-proxy.ts'
import { until } from './until.ts'

/** Fast checks: a process is reported as dead after three checks, which take 300 ms. */
export const fastLiveness = { everyMs: 100, deadChecksMax: 3 }

/**
 * Expects that a process reports 503 while its connections to Redis are dead and not replaced, and 200 before and
 * after.
 *
 * @param proxy - the proxy through which the process reaches Redis.
 */
export async function expectLivenessToFollowRedis(
  process: { internalPort: number },
  proxy: TcpProxy,
): Promise<void> {
  const readHealth = async () => {
    const response = await fetch(`http://127.0.0.1:${process.internalPort}/healthz`)
    return { status: response.status, body: await response.json() }
  }
  const untilStatus = (status: number) => until(readHealth, (health) => health.status === status)
  // Every connection is open, so every one falls silent.
  await until(
    () => readiness(process),
    ({ status }) => status === 200,
  )
  expect(await readHealth()).toEqual({ status: 200, body: { status: 'ok' } })
  const allowReconnects = preventReconnects()
  proxy.silence()
  expect((await untilStatus(503)).body).toEqual({
    status: 'unavailable',
    reason: 'No connection of this process to Redis works, but a new one does.',
  })
  allowReconnects()
  await untilStatus(200)
}

/**
 * Prevents the connections of this process to Redis from reconnecting, as a defect of the client would. New connections
 * still connect.
 *
 * @returns the function that lets them reconnect.
 */
function preventReconnects(): () => void {
  const { connect } = Redis.prototype
  const waiting = new Set<Redis>()
  Redis.prototype.connect = function (this: Redis, ...args) {
    const isNew = (this as { stream?: unknown }).stream === undefined
    if (isNew) return connect.apply(this, args)
    waiting.add(this)
    return Promise.resolve()
  }
  return () => {
    Redis.prototype.connect = connect
    for (const each of waiting) void each.connect().catch(() => undefined)
  }
}
