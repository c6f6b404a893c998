import { rateLimitMax } from '@hosting/core/api-keys'
import { rateWindowMs } from '@hosting/core/rate-limit'
import { budgetFunction } from './rate-limit.ts'

/** What the script does with a key. See {@link gateScript}. */
export type GateAction = 'check' | 'report' | 'invalidate' | 'set'

/** A key's version as the caller knows it, and whether to charge the request to the budget of the key. */
export interface GateRequest {
  readonly keyId: string
  readonly version: number
  readonly limit: number
  readonly charge: boolean
  /** Of `set`: whether the key is revoked in this version. */
  readonly revoked?: boolean
}

/** The result of the script for a key. */
export interface GateResult {
  readonly status: number
  readonly admitted: boolean
  readonly remaining: number
  readonly resetMs: number
}

/** Packs a request into one argument: the action's first letter, whether to charge or revoked, version and limit. */
export const packRequest = (
  action: GateAction,
  { version, limit, charge, revoked = false }: GateRequest,
): string => `${action[0]!}${charge || revoked ? 1 : 0}:${version}:${limit}`

/** Higher than every reset, which is at most a window. */
const resetUnit = 2 ** Math.ceil(Math.log2(rateWindowMs + 1))
/** Higher than every rate limit. */
const remainingUnit = 2 ** Math.ceil(Math.log2(rateLimitMax + 1))

/** How long the state of an unused key is kept. */
const lifeMs = 3_600_000
/** How long to wait for a change that is in progress, in ms. */
const dirtyMs = 5_000
/** How long a rejected version is remembered: longer than any read of a key from the database takes. */
const floorMs = 30_000

/** Unpacks a result, which is one integer: from the right reset, remaining, admitted, status. */
export function unpackResult(packed: number): GateResult {
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
 * The script of the gate. For each key it runs one of four actions, and returns status, admitted, remaining and reset in ms.
 * Requests and results are packed, because most of the cost of a call is its arguments. A key is a hash with:
 *
 * - `v`: the newest version of the key's record that is known to be valid;
 * - `f`, `fu`: versions below `f` are rejected until the time `fu`, so that a slow reader cannot restore
 *   an old one;
 * - `e`: the version in which the key was revoked. A database that says otherwise has lost the revocation;
 * - `du`: a change is in progress until this time, so no record may be cached;
 * - `b0`, `b1`, …: requests per bucket, each with the time of the last request (rate-limit.ts).
 *
 * Actions: `check` compares a cached version and charges the budget if it is current. `report` gives
 * the version that was just read from the database and charges the budget in any case. `invalidate` announces
 * a change that is about to commit. `set` reports the committed version.
 *
 * Status: 0 if the version is current (`check`) or may be cached (`report`), 1 if not, 2 if a change is in
 * progress, 3 if the key was revoked in a later version than the one that was read (`report`).
 */
export const gateScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lifeMs, dirtyMs, floorMs = ${lifeMs}, ${dirtyMs}, ${floorMs}

${budgetFunction}
local results = {}
for index, key in ipairs(KEYS) do
  local action, flagText, versionText, limitText = string.match(ARGV[index], '^(%a)(%d):(%d+):(%d+)$')
  local version, limit, flag = tonumber(versionText), tonumber(limitText), flagText == '1'
  local status, admitted, remaining, reset = 0, 0, 0, 0
  local state = redis.call('HMGET', key, 'v', 'f', 'fu', 'du', 'e')
  local known = tonumber(state[1] or -1)
  local floor = tonumber(state[3] or 0) > now and tonumber(state[2]) or -1
  local dirty = tonumber(state[4] or 0) > now
  local ended = tonumber(state[5] or -1)

  if action == 'c' then
    if dirty then status = 2 elseif known ~= version then status = 1 end
    if status == 0 then admitted, remaining, reset = budget(key, limit, flag) end
  elseif action == 'r' then
    if version < ended then
      status = 3
    elseif dirty then
      status = 2
    elseif version < known or version < floor then
      status = 1
    elseif version ~= known then
      redis.call('HSET', key, 'v', version)
      redis.call('PEXPIRE', key, lifeMs)
    end
    admitted, remaining, reset = budget(key, limit, flag)
  elseif action == 'i' then
    redis.call('HDEL', key, 'v')
    redis.call('HSET', key, 'f', math.max(version, floor), 'fu', now + floorMs, 'du', now + dirtyMs)
    redis.call('PEXPIRE', key, lifeMs)
  elseif action == 's' then
    if flag then redis.call('HSET', key, 'e', math.max(version, ended)) end
    -- If a later change in progress has marked the key, its commit decides, not this one.
    if version >= floor then
      redis.call('HSET', key, 'v', math.max(version, known), 'f', version, 'fu', now + floorMs)
      redis.call('HDEL', key, 'du')
      redis.call('PEXPIRE', key, lifeMs)
    end
  end
  results[index] = ((status * 2 + admitted) * ${remainingUnit} + remaining) * ${resetUnit} + reset
end
return results
`
