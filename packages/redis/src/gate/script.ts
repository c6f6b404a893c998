/** What the script is asked to do with a key; see {@link gateScript}. */
export type Operation = 'check' | 'tell' | 'mark' | 'set'

/** A key's version as the caller knows it, and whether the request costs its budget one. */
export interface GateQuestion {
  readonly keyId: string
  readonly version: number
  readonly limit: number
  readonly charge: boolean
}

/** What the script answers. */
export interface GateAnswer {
  readonly status: number
  readonly admitted: boolean
  readonly remaining: number
  readonly resetMs: number
}

/** A question's one argument: the operation's first letter, whether to charge, version and limit. */
export const packQuestion = (
  operation: Operation,
  { version, limit, charge }: GateQuestion,
): string => `${operation[0]!}${charge ? 1 : 0}:${version}:${limit}`

const resetUnit = 2 ** 17
const remainingUnit = 2 ** 10

/** Reads an answer, which is one integer: from the right reset, remaining, admitted, status. */
export function unpackAnswer(packed: number): GateAnswer {
  const rest = Math.floor(packed / resetUnit)
  const flags = Math.floor(rest / remainingUnit)
  return {
    resetMs: packed % resetUnit,
    remaining: rest % remainingUnit,
    admitted: flags % 2 === 1,
    status: Math.floor(flags / 2),
  }
}

/**
 * The gate's one script. For each key it does one of four things and gives status, admitted, remaining and
 * reset in ms. Questions and answers are packed, since most of what a call costs is its arguments. A key is
 * a hash with:
 *
 * - `v`: the version of the newest record of the key that is known to be valid;
 * - `f`, `fu`: no version below `f` is believed until the time `fu`, so that no slow reader puts an old one back;
 * - `du`: a change is under way until this time, so that no record is kept;
 * - `b0` to `b12`: requests per 5-second bucket, each as time of the last * 4096 + count. All of a bucket count
 *   until 60 seconds after its last, so that whoever used all at once waits for no more than that.
 *
 * Operations: `check` a cached version and take one from the budget if it is current; `tell` the version
 * that was just read from the database and take one in any case; `mark` a change that is about to commit;
 * `set` the version that was committed.
 *
 * Status: 0 the version is current (`check`) or may be kept (`tell`), 1 it is not, 2 a change is under way.
 */
export const gateScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local windowMs, bucketMs, buckets, pack = 60000, 5000, 13, 4096
local bucket = math.floor(now / bucketMs)
local lifeMs, dirtyMs, floorMs = 3600000, 5000, 30000

local function budget(key, limit, charge)
  local used, counts, lasts = 0, {}, {}
  local stored = redis.call(
    'HMGET', key, 'b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9', 'b10', 'b11', 'b12'
  )
  for slot = 1, buckets do
    local value = tonumber(stored[slot] or 0)
    local last = math.floor(value / pack)
    -- A clock that went back leaves counts in the future. By a little they still count; by more they are dropped.
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

local answers = {}
for index, key in ipairs(KEYS) do
  local operation, flag, versionText, limitText = string.match(ARGV[index], '^(%a)(%d):(%d+):(%d+)$')
  local version, limit, charge = tonumber(versionText), tonumber(limitText), flag == '1'
  local status, admitted, remaining, reset = 0, 0, 0, 0
  local state = redis.call('HMGET', key, 'v', 'f', 'fu', 'du')
  local known = tonumber(state[1] or -1)
  local floor = tonumber(state[3] or 0) > now and tonumber(state[2]) or -1
  local dirty = tonumber(state[4] or 0) > now

  if operation == 'c' then
    if dirty then status = 2 elseif known ~= version then status = 1 end
    if status == 0 then admitted, remaining, reset = budget(key, limit, charge) end
  elseif operation == 't' then
    if dirty then
      status = 2
    elseif version < known or version < floor then
      status = 1
    elseif version ~= known then
      redis.call('HSET', key, 'v', version)
      redis.call('PEXPIRE', key, lifeMs)
    end
    admitted, remaining, reset = budget(key, limit, charge)
  elseif operation == 'm' then
    redis.call('HDEL', key, 'v')
    redis.call('HSET', key, 'f', math.max(version, floor), 'fu', now + floorMs, 'du', now + dirtyMs)
    redis.call('PEXPIRE', key, lifeMs)
  elseif operation == 's' then
    -- A later change that is under way has marked the key: what it commits counts, not this.
    if version >= floor then
      redis.call('HSET', key, 'v', math.max(version, known), 'f', version, 'fu', now + floorMs)
      redis.call('HDEL', key, 'du')
      redis.call('PEXPIRE', key, lifeMs)
    end
  end
  answers[index] = ((status * 2 + admitted) * ${remainingUnit} + remaining) * ${resetUnit} + reset
end
return answers
`
