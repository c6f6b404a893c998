import { ApiProblem } from '../api-problem.ts'
import type { DeviceCode, DeviceLogin } from '../api-types.ts'
import type { Client } from '../client.ts'
import { ConnectionError } from '../connection-error.ts'
import { sleep as sleepByTimer } from '../sleep.ts'
import { decideNextPoll, startPolling, type PollAnswer } from './decide-next-poll.ts'
import { DeviceLoginError } from './device-login-error.ts'

export interface PollOptions {
  /** Ends the polling; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Told of each wait before it begins: its length in ms, and when the code dies, in ms since 1970. */
  readonly onWait?: (wait: {
    readonly waitMs: number
    readonly expiresAt: number
    /** What the wait follows; `undefined` of the first. */
    readonly lastAnswer: PollAnswer | undefined
  }) => void
  /** The wall clock, in ms since 1970; `Date.now` by default. */
  readonly now?: () => number
  /** Waits; by a timer by default. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * Polls a device login until the person has decided.
 *
 * @param code - what `POST /auth/device/code` gave.
 * @throws DeviceLoginError if it was refused or expired, ApiProblem for an answer that waiting does not mend,
 *   or the reason of the signal.
 */
export async function pollDeviceLogin(
  client: Pick<Client, 'POST'>,
  code: Pick<DeviceCode, 'device_code'> & Partial<DeviceCode>,
  { signal, onWait, now = Date.now, sleep = sleepByTimer }: PollOptions = {},
): Promise<DeviceLogin> {
  let decision = startPolling(code, now())
  let lastAnswer: PollAnswer | undefined
  while (decision.do === 'wait') {
    const { waitMs, state } = decision
    onWait?.({ waitMs, expiresAt: state.expiresAt, lastAnswer })
    await sleep(waitMs, signal)
    lastAnswer = await poll(client, code.device_code, signal)
    decision = decideNextPoll(state, lastAnswer, now())
  }
  if (decision.outcome === 'approved') return decision.login
  if (decision.outcome === 'failed') throw decision.problem
  throw new DeviceLoginError(decision.outcome)
}

async function poll(
  client: Pick<Client, 'POST'>,
  deviceCode: string,
  signal: AbortSignal | undefined,
): Promise<PollAnswer> {
  try {
    const body = { device_code: deviceCode }
    return { kind: 'approved', login: await client.POST('/auth/device/token', { body, signal }) }
  } catch (error) {
    if (error instanceof ConnectionError) return { kind: 'no_answer' }
    if (error instanceof ApiProblem) return { kind: 'problem', problem: error }
    throw error
  }
}
