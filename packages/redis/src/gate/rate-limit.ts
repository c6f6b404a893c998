import { rateBucketMs, rateWindowMs } from '@hosting/core/rate-limit'

/** One more bucket than the window has, because the oldest one counts until a window after its last request. */
const bucketCount = rateWindowMs / rateBucketMs + 1
/**
 * A bucket is stored as (time of the last request) * this + count. Higher than every rate limit (`rateLimitMax`), and
 * fixed, because processes of the previous release read the same buckets.
 */
export const countUnit = 4_096
const bucketFields = Array.from({ length: bucketCount }, (_, index) => `'b${index}'`).join(', ')

/**
 * The rate limit of a key in Redis (docs/specification/requests.md#rate-limit-of-a-key), in Lua: a part of the gate's
 * script, which sets `now` and `lifeMs`. `budget` charges a request if it is admitted, and returns whether it is, the
 * remaining requests and the time until reset in ms. All requests of a bucket count until one window after its last request,
 * so a caller that used its whole limit at once waits at most one window. packages/core/src/rate-limit/window.ts says what
 * counts without Redis.
 */
export const budgetFunction = `
local windowMs, bucketMs, buckets, pack = ${rateWindowMs}, ${rateBucketMs}, ${bucketCount}, ${countUnit}
local bucket = math.floor(now / bucketMs)

local function budget(key, limit, charge)
  local used, counts, lasts = 0, {}, {}
  local stored = redis.call('HMGET', key, ${bucketFields})
  for slot = 1, buckets do
    local value = tonumber(stored[slot] or 0)
    local last = math.floor(value / pack)
    -- A clock that went back leaves counts in the future. If near, they still count; if far, they are dropped.
    if last > now - windowMs and last <= now + bucketMs then
      local number = math.floor(last / bucketMs)
      counts[number], lasts[number] = value % pack, last
      used = used + value % pack
    end
  end
  local admitted = used < limit
  if admitted and charge then
    local fresh = not counts[bucket]
    counts[bucket] = (counts[bucket] or 0) + 1
    lasts[bucket] = math.max(lasts[bucket] or 0, now)
    used = used + 1
    redis.call('HSET', key, 'b' .. bucket % buckets, lasts[bucket] * pack + counts[bucket])
    if fresh then redis.call('PEXPIRE', key, lifeMs) end
  end
  local excess, fallen, reset = admitted and 1 or used - limit + 1, 0, 0
  for number = bucket - buckets + 1, bucket + 1 do
    fallen = fallen + (counts[number] or 0)
    if fallen >= excess then
      reset = math.min(lasts[number] + windowMs - now, windowMs)
      break
    end
  end
  return admitted and 1 or 0, math.max(0, limit - used), reset
end
`
