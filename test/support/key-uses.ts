import type { CountedKeyUse } from '@hosting/postgres/api-keys'

const hourMs = 3_600_000

/** Requests of a key at a time, with 200 unless another status is given. */
export const keyUse = (
  keyId: string,
  at: Date | number | string,
  change: Partial<CountedKeyUse> = {},
): CountedKeyUse => {
  const lastUsedAt = new Date(at)
  const lastUsedIp = change.lastUsedIp ?? '192.0.2.1'
  return {
    keyId,
    start: new Date(Math.floor(lastUsedAt.getTime() / hourMs) * hourMs),
    operation: 'sites.list',
    status: 200,
    address: lastUsedIp,
    secretId: null,
    isPrevious: false,
    scope: null,
    requests: 1,
    lastUsedAt,
    lastUsedIp,
    ...change,
  }
}

/** Requests of a key at a time by outcome: accepted, refused and limited. */
export const keyUses = (
  keyId: string,
  at: Date | number | string,
  { requests, refused = 0, rateLimited = 0 }: Outcomes,
): CountedKeyUse[] => [
  keyUse(keyId, at, { requests: requests - refused - rateLimited }),
  keyUse(keyId, at, { status: 403, requests: refused }),
  keyUse(keyId, at, { status: 429, requests: rateLimited }),
]

/** `requests` counts all of them. */
interface Outcomes {
  readonly requests: number
  readonly refused?: number
  readonly rateLimited?: number
}
