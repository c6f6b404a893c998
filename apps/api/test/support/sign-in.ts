import { accountTryLimit, addressTryLimit } from '@hosting/core/sessions'
import { generateSync } from 'otplib'
import { expect } from '@jest/globals'
import type { Response } from 'supertest'
import type { TestApi } from '../../../../test/support/api.ts'
import { callWith, type TestSession } from '../../../../test/support/session.ts'

/** What a sign-in shows. */
export interface SignInFields {
  readonly email: string
  readonly password: string
  readonly totp_code?: string
}

/** Signs in over the API, from an address of the test's own. */
export const signInFrom = (
  api: TestApi,
  ip: string,
  body: SignInFields,
  headers: Record<string, string> = {},
): Promise<Response> =>
  api.call('post', '/auth/session', { body, headers: { 'x-forwarded-for': ip, ...headers } })

/** Lets tests choose the address that they come from. */
export const behindProxy = { TRUSTED_PROXIES: '127.0.0.0/8' }

/** Whoever has to wait has to for an hour: a slow machine does not let them off. */
export const stretchDelays = ({ database }: TestApi): Promise<unknown> =>
  database.pool.query(
    `UPDATE failed_tries SET blocked_until = now() + interval '1 hour'
     WHERE failures >= CASE WHEN name LIKE 'address:%' THEN $1::int ELSE $2::int END`,
    [addressTryLimit.free, accountTryLimit.free],
  )

/** Nobody has to wait any longer. */
export const endDelays = ({ database }: TestApi): Promise<unknown> =>
  database.pool.query('UPDATE failed_tries SET blocked_until = now()')

/** The code that an authenticator with the seed shows this number of steps from now. */
export const codeOf = (seed: string, steps = 0): string =>
  generateSync({ secret: seed, epoch: Math.floor(Date.now() / 1_000) + 30 * steps })

/** Enrols and activates an authenticator for the session's person, which uses `code` up, and its time step. */
export async function setUpTotp(
  api: TestApi,
  session: Pick<TestSession, 'cookie' | 'csrfToken'>,
): Promise<{ seed: string; code: string; recoveryCodes: string[] }> {
  const call = callWith(api, session)
  const enrolled = await call('post', '/auth/factors/totp')
  expect(enrolled.status).toBe(201)
  const seed = seedOf(enrolled.body.otpauth_uri as string)
  const code = codeOf(seed)
  const activated = await call('post', '/auth/factors/totp/verify', { body: { totp_code: code } })
  expect(activated.status).toBe(200)
  return { seed, code, recoveryCodes: activated.body.recovery_codes as string[] }
}

/** The seed in what an authenticator takes. */
export const seedOf = (uri: string): string => new URL(uri).searchParams.get('secret')!
