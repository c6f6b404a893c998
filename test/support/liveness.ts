import { Redis } from 'ioredis'

/**
 * Prevents the connections of this process to Redis from reconnecting, as a defect of the client would. New connections
 * still connect.
 *
 * @returns the function that lets them reconnect.
 */
export function preventReconnects(): () => void {
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
