import { ApiProblem } from '../connection/api-problem.ts'
import type { DeviceLogin, DeviceCode } from '../api-types.ts'
import type { Client } from '../client.ts'
import { ConnectionError } from '../connection/connection-error.ts'
import { sleep as sleepByTimer } from '../connection/retrying-fetch.ts'
import { tryOAuth } from '../oauth/try-oauth.ts'
import { decideNextPoll, startPolling, type PollResult } from './decide-next-poll.ts'

export interface PollOptions {
  /** Aborts the polling; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Called before each wait with its length in ms, and when the code expires, in ms since 1970. */
  readonly onWait?: (wait: {
    readonly waitMs: number
    readonly expiresAt: number
    /** The result of the previous poll; `undefined` before the first. */
    readonly lastResult: PollResult | undefined
  }) => void
  /** The wall clock, in ms since 1970; default: `Date.now`. */
  readonly now?: () => number
  /** Waits; default: a timer. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * Polls a device login until the user has decided.
 *
 * @param code - the result of `startDeviceLogin`, or the response of `POST /auth/device/code`.
 * @throws DeviceLoginError if the login was refused or the code expired, ApiProblem for any other permanent
 *   problem, or the reason of the signal.
 */
export async function pollDeviceLogin(
  client: Pick<Client, 'POST' | 'oauth'>,
  code: PolledCode,
  { signal, onWait, now = Date.now, sleep = sleepByTimer }: PollOptions = {},
): Promise<DeviceLogin> {
  let decision = startPolling(code, now())
  let lastResult: PollResult | undefined
  while (decision.do === 'wait') {
    const { waitMs, state } = decision
    onWait?.({ waitMs, expiresAt: state.expiresAt, lastResult })
    await sleep(waitMs, signal)
    lastResult = await poll(client, code, signal)
    decision = decideNextPoll(state, lastResult, now())
  }
  if (decision.outcome === 'approved') return decision.login
  if (decision.outcome === 'failed') throw decision.problem
  if (decision.outcome === 'refused') throw new DeviceLoginError('refused', decision.detail)
  throw new DeviceLoginError('expired')
}

type PolledCode = Pick<StartedDeviceLogin, 'device_code'> & Partial<StartedDeviceLogin>

async function poll(
  client: Pick<Client, 'POST' | 'oauth'>,
  code: PolledCode,
  signal: AbortSignal | undefined,
): Promise<PollResult> {
  try {
    return { kind: 'approved', login: await redeem(client, code, signal) }
  } catch (error) {
    if (error instanceof ConnectionError) return { kind: 'no_response' }
    if (error instanceof ApiProblem) return { kind: 'problem', problem: error }
    throw error
  }
}

function redeem(
  client: Pick<Client, 'POST' | 'oauth'>,
  { device_code, client_id }: PolledCode,
  signal: AbortSignal | undefined,
): Promise<DeviceLogin> {
  const own = () => client.POST('/auth/device/token', { body: { device_code }, signal })
  if (client_id === undefined) return own()
  const form = { grant_type: deviceCodeGrant, device_code, client_id }
  return tryOAuth(async () => toLogin(await client.oauth('/token', form, signal)), own)
}

/** RFC 8628, section 3.4. */
const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

function toLogin(response: unknown): DeviceLogin {
  const {
    access_token: token,
    key,
    tenant,
    user,
  } = response as Omit<DeviceLogin, 'token'> & {
    readonly access_token: string
  }
  return { token, key, tenant, user }
}

const messages = {
  refused: 'The login was denied.',
  expired: 'The code expired before the login was approved.',
} as const

/** Thrown if a device login ends without a key. */
export class DeviceLoginError extends Error {
  /** How the login ended. */
  readonly reason: keyof typeof messages

  /** `detail`: what the service says, such as the policy of the organization that does not allow the login. */
  constructor(reason: keyof typeof messages, detail: string = messages[reason]) {
    super(detail)
    this.name = 'DeviceLoginError'
    this.reason = reason
  }
}

/** A device login that was started. */
export interface StartedDeviceLogin extends DeviceCode {
  /** The client that polls at the OAuth endpoint; missing if the service has none. */
  readonly client_id?: string
}

/**
 * Starts a device login (RFC 8628). Show the person the code and the URL, then call `pollDeviceLogin`.
 *
 * @param clientName - the name of the program, which the person sees: 1 to 64 characters.
 * @throws ApiProblem, with the code `invalid_request` for another name.
 */
export function startDeviceLogin(
  client: Pick<Client, 'POST' | 'oauth'>,
  clientName: string,
): Promise<StartedDeviceLogin> {
  return tryOAuth<StartedDeviceLogin>(
    async () => {
      const code = await client.oauth('/device_authorization', { client_id: clientName })
      return { ...(code as DeviceCode), client_id: clientName }
    },
    () => client.POST('/auth/device/code', { body: { client_name: clientName } }),
  )
}
