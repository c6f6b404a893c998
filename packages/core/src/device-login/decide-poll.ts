import { isStillValid } from '../clock/index.ts'
import { devicePollMsMin, devicePollRepeatMs } from './limits.ts'

/** The stored state of a device login. Expiry follows from the time and is not stored. */
export type DeviceLoginState = 'pending' | 'approved' | 'denied' | 'delivered'

/** The state of a device login in responses (docs/specification/device-login.md#states). */
export type DeviceLoginStatus = DeviceLoginState | 'expired'

/** The fields of a device login that the decisions read. */
export interface DeviceLoginFacts {
  readonly status: DeviceLoginState
  readonly expiresAt: Date
}

/** The state to return: `expired` if the login was neither delivered nor denied in time. */
export function statusOfDeviceLogin(
  { status, expiresAt }: DeviceLoginFacts,
  now: Date,
): DeviceLoginStatus {
  const open = status === 'pending' || status === 'approved'
  return open && !isStillValid(expiresAt, now) ? 'expired' : status
}

/**
 * The result of a poll: an error code of RFC 8628, `deliver` for delivery of the key, or `pending_repeated` for an
 * `authorization_pending` that does not count as a poll.
 */
export type PollDecision =
  | 'expired_token'
  | 'access_denied'
  | 'deliver'
  | 'authorization_pending'
  | 'pending_repeated'
  | 'slow_down'

/**
 * Decides a poll of a device login, in the order of docs/specification/device-login.md#polling. The interval is
 * measured from the last poll that returned `authorization_pending`. So a client that gets `slow_down` and then
 * waits for the interval does not get it again.
 *
 * @param login - `undefined` if the device code is unknown; `lastPolledAt`: the time of that last poll.
 * @param options - `allowsRepeats`: whether a poll within {@link devicePollRepeatMs} of the last one is a repetition.
 */
export function decideDevicePoll(
  login: (DeviceLoginFacts & { readonly lastPolledAt: Date | null }) | undefined,
  now: Date,
  { allowsRepeats = false }: { allowsRepeats?: boolean | undefined } = {},
): PollDecision {
  if (!login || !isStillValid(login.expiresAt, now) || login.status === 'delivered') {
    return 'expired_token'
  }
  if (login.status === 'denied') return 'access_denied'
  if (login.status === 'approved') return 'deliver'
  const sinceMs = login.lastPolledAt && now.getTime() - login.lastPolledAt.getTime()
  if (sinceMs === null || sinceMs >= devicePollMsMin) return 'authorization_pending'
  return allowsRepeats && sinceMs < devicePollRepeatMs ? 'pending_repeated' : 'slow_down'
}
