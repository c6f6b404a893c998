import { rateLimitMax } from '@hosting/core/api-keys'
import { usageKeptDays } from '@hosting/core/directory'
import { deviceSlowDownMs } from '@hosting/core/device-login'
import { idempotencyLockMs, oneTimeMembers } from '@hosting/core/idempotency'
import { noticesKeptDays } from '@hosting/core/notices'
import { recordsKeptDays, signatureToleranceSeconds } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { defaultTimeouts } from '../../packages/postgres/src/database/timeouts.ts'
import { countUnit } from '../../packages/redis/src/gate/rate-limit.ts'
import { oneTimeMembers as oneTimeMembersOfSdk } from '../../packages/sdk/src/connection/response.ts'
import { slowDownMs } from '../../packages/sdk/src/device-login/decide-next-poll.ts'
import { toleranceSecondsDefault } from '../../packages/sdk/src/verify-webhook.ts'
import { readSources } from './sources.ts'

/** A limit of a schema that is typed as a number. */
const typedLimit = /\b(?:maxLength|maxItems|maximum): ?\d[\d_]*/g

const typedLimitsOf = (text: string): string[] => [...text.matchAll(typedLimit)].map(([all]) => all)

/**
 * Functions whose numbers are no rules: the bits of ids, of histograms and of the keys of locks, the halves of a binary
 * search, and the names of partitions.
 */
const otherNumbers =
  /\/(uuid_v7|uuid_v7_floor|uuid_v7_time|round_duration|enter_event_log|event_log_\w+|event_position_from|(make|attach|detach|drop)_partitions?|parent_of_partition)\.sql$/

/** SQL, or the text of a script in Lua without what is interpolated; without comments. */
function codeOf(text: string): string {
  const script = /= `\n([^`]*)`/.exec(text)?.[1]
  return (script ?? text).replaceAll(/\$\{[^}]*\}/g, '').replaceAll(/--.*$/gm, '')
}

/** The numbers of a text, except 0, 1, the states of the gate, positions, the length of a key id and units of time. */
const numbersOf = (code: string): string[] =>
  code
    .replaceAll(
      /\$\d|status = [23]|status \* 2|\[\d\]|GROUP BY [\d, ]+|char\(12\)|\b1000\b|'24 hours'/g,
      '',
    )
    .match(/(?<![\w.])\d+(?![\w.])/g)
    ?.filter((number) => !['0', '1'].includes(number)) ?? []

describe('limits', () => {
  test.each([
    'apps/*/src/**/*.{ts,tsx}',
    'packages/{postgres,redis,process,html}/src/**/*.{ts,tsx}',
  ])('are imported from packages/core in %s', async (pattern) => {
    const sources = await readSources(pattern)
    expect(sources.length).toBeGreaterThan(0)
    const found = sources.flatMap(({ path, text }) =>
      typedLimitsOf(text).map((limit) => `${path}: ${limit}`),
    )
    expect(found).toEqual([])
  })

  test.each(['prisma/functions/*.sql', 'packages/redis/src/gate/{rate-limit,script}.ts'])(
    'are constants of packages/core in %s, not numbers',
    async (pattern) => {
      const sources = await readSources(pattern)
      expect(sources.length).toBeGreaterThan(0)
      const found = sources
        .filter(({ path }) => !otherNumbers.test(path))
        .flatMap(({ path, text }) => numbersOf(codeOf(text)).map((number) => `${path}: ${number}`))
      expect(found).toEqual([])
    },
  )

  test('of retention are not written as intervals in statements', async () => {
    const kept = [recordsKeptDays, noticesKeptDays, usageKeptDays]
    const typed = new RegExp(`interval '(${kept.join('|')}) days'`)
    const sources = await readSources('packages/postgres/src/**/*.ts')
    expect(sources.filter(({ text }) => typed.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('of requests are less than the unit in which Redis counts them', () => {
    expect(rateLimitMax).toBeLessThan(countUnit)
  })

  test('let a statement end before its request may be taken over', () => {
    expect(idempotencyLockMs).toBeGreaterThan(defaultTimeouts.statementMs)
  })

  test('are the same in the SDK, which cannot import packages/core', () => {
    expect(toleranceSecondsDefault).toBe(signatureToleranceSeconds)
    expect(slowDownMs).toBe(deviceSlowDownMs)
    expect(oneTimeMembersOfSdk).toEqual(oneTimeMembers)
  })

  test.each([
    [
      'clients/python/hosting_sdk/_device_login.py',
      `SLOW_DOWN_SECONDS = ${deviceSlowDownMs / 1_000}.0`,
    ],
    ['docs/quickstart/curl/verify.sh', `-le ${signatureToleranceSeconds} ]`],
    ['prisma/schema.prisma', `rateLimitPerMinute Int @default(${rateLimitMax})`],
  ])('are the same in %s, which cannot import anything', async (path, text) => {
    const [source] = await readSources(path)
    expect(source!.text.replaceAll(/ +/g, ' ')).toContain(text)
  })
})
