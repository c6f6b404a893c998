import { devicePollMsMin } from './limits.ts'

/** A state of a device login as it is kept. It also expires, by the clock. */
export type DeviceRequestState = 'pending' | 'approved' | 'denied' | 'delivered'

/** A state of a device login as it is shown (docs/specification/device-login.md#states). */
export type DeviceRequestStatus = DeviceRequestState | 'expired'

/** What of a device login decides. */
export interface DeviceRequestFacts {
  readonly status: DeviceRequestState
  readonly expiresAt: Date
}

/** The state to show: what was not delivered or denied in time has expired. */
export function statusOfDeviceRequest(
  { status, expiresAt }: DeviceRequestFacts,
  now: Date,
): DeviceRequestStatus {
  const open = status === 'pending' || status === 'approved'
  return open && expiresAt <= now ? 'expired' : status
}

/** What a poll comes to: one of RFC 8628's codes, or the hand-over. */
export type PollDecision =
  'expired_token' | 'access_denied' | 'deliver' | 'authorization_pending' | 'slow_down'

/**
 * Decides a poll of a device login, in the order of docs/specification/device-login.md#polling. Too fast is
 * measured from the last poll that was answered `authorization_pending`, so that a client that is told to
 * slow down and waits its time is never told so again.
 *
 * @param request - `undefined` if the device code is unknown; `lastPolledAt`: of that last poll.
 */
export function decideDevicePoll(
  request: (DeviceRequestFacts & { readonly lastPolledAt: Date | null }) | undefined,
  now: Date,
): PollDecision {
  if (!request || request.expiresAt <= now || request.status === 'delivered') return 'expired_token'
  if (request.status === 'denied') return 'access_denied'
  if (request.status === 'approved') return 'deliver'
  const sinceMs = request.lastPolledAt && now.getTime() - request.lastPolledAt.getTime()
  return sinceMs !== null && sinceMs < devicePollMsMin ? 'slow_down' : 'authorization_pending'
}
