import { createKeySecret, formatKeyToken } from '@hosting/core/api-keys'
import { closeRefusalWindows } from '@hosting/postgres/audit'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { inLanes } from '../../../../test/support/caller.ts'
import { until } from '../support/until.ts'

const proxies = { TRUSTED_PROXIES: '127.0.0.1/32' }
const first = useApi(proxies)
const second = useApi(proxies)

interface RefusalRow {
  readonly reason: string
  readonly ip: string | null
  readonly details: { readonly repeated?: number; readonly addresses?: number }
}

async function refusalsOf(keyId: string): Promise<RefusalRow[]> {
  const { rows } = await first.database.pool.query<RefusalRow>(
    `SELECT reason, ip, details FROM audit_events
     WHERE target_id = $1 AND action = 'api_key.refuse' ORDER BY id`,
    [keyId],
  )
  return rows
}

const countOf = (rows: readonly RefusalRow[]): number =>
  rows.reduce((sum, { details: { repeated = 1 } }) => sum + repeated, 0)

/** What is counted and has no row yet. */
async function countWaiting(keyId: string): Promise<number> {
  const { rows } = await first.database.pool.query<{ count: number }>(
    `SELECT (coalesce((SELECT sum(repeated) FROM refusal_windows WHERE key_id = $1), 0)
       + coalesce((SELECT sum(crowd) FROM refusal_minutes WHERE key_id = $1), 0))::int AS count`,
    [keyId],
  )
  return rows[0]!.count
}

/** Sends wrong secrets of a key from addresses to both processes; returns the rows when all have been counted. */
async function sendWrongSecrets(
  keyId: string,
  { count, addressOf }: { count: number; addressOf: (index: number) => string },
): Promise<RefusalRow[]> {
  const token = formatKeyToken(createKeySecret(keyId))
  const before = countOf(await refusalsOf(keyId)) + (await countWaiting(keyId))
  await inLanes(
    count,
    async (index) => {
      const headers = { 'x-forwarded-for': addressOf(index) }
      const api = index % 2 === 0 ? first : second
      expect((await api.call('get', '/auth/me', { token, headers })).status).toBe(401)
    },
    16,
  )
  await until('all are counted', async () => {
    const counted = countOf(await refusalsOf(keyId)) + (await countWaiting(keyId))
    return counted === before + count
  })
  return refusalsOf(keyId)
}

/** Lets a minute pass for all refusals of the key. */
async function passMinute(keyId: string): Promise<RefusalRow[]> {
  for (const table of ['refusal_windows', 'refusal_minutes']) {
    await first.database.pool.query(
      `UPDATE ${table} SET started_at = started_at - interval '1 minute' WHERE key_id = $1`,
      [keyId],
    )
  }
  // A call closes a limited number, and other test files have left some.
  await until('all are closed', async () => (await closeRefusalWindows(first.database)) === 0)
  return refusalsOf(keyId)
}

describe('refusals of a key', () => {
  test('from all addresses of an IPv6 /64 share one row, plus one for repetitions', async () => {
    const { id } = await (await first.makeTenant()).makeKey()
    const addressOf = (index: number): string => `2001:db8:7:7::${(index + 1).toString(16)}`
    expect(await sendWrongSecrets(id, { count: 200, addressOf })).toHaveLength(1)
    expect(await passMinute(id)).toMatchObject([
      { reason: 'invalid_api_key' },
      { reason: 'invalid_api_key', details: { repeated: 199 } },
    ])
  })

  test('from many addresses are recorded in at most 20 rows a minute plus one for the rest, over all processes', async () => {
    const { id } = await (await first.makeTenant()).makeKey()
    const addressOf = (index: number): string => `198.18.${index >> 8}.${index & 255}`
    const rows = await sendWrongSecrets(id, { count: 1_000, addressOf })
    expect(rows).toHaveLength(20)
    const after = await passMinute(id)
    expect(after).toHaveLength(21)
    expect(after.at(-1)).toEqual({
      reason: 'invalid_api_key',
      ip: null,
      details: { repeated: 980, addresses: 980 },
    })
    expect(countOf(after)).toBe(1_000)
  })

  test('stay within the limit in every minute, and all are counted', async () => {
    const { id } = await (await first.makeTenant()).makeKey()
    const addressOf = (index: number): string => `198.18.0.${index % 40}`
    for (let minute = 1; minute <= 3; minute++) {
      await sendWrongSecrets(id, { count: 120, addressOf })
      await passMinute(id)
    }
    const rows = await passMinute(id)
    expect(rows.length).toBeLessThanOrEqual(4 * 21)
    expect(countOf(rows) + (await countWaiting(id))).toBe(360)
  })

  test('for another reason have their own rows', async () => {
    const { id, token } = await (await first.makeTenant()).makeKey({ scopes: ['sites:read'] })
    const addressOf = (index: number): string => `198.18.1.${index}`
    await sendWrongSecrets(id, { count: 40, addressOf })
    expect((await first.call('get', '/api-keys', { token })).status).toBe(403)
    const rows = await refusalsOf(id)
    expect(rows.filter(({ reason }) => reason === 'insufficient_scope')).toHaveLength(1)
  })
})
