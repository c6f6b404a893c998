import { pollDeviceLogin, type DeviceCode, type DeviceLogin } from '@hosting/sdk'
import { clientFor, type Context } from '../context.ts'
import { isInteractive } from '../surroundings.ts'
import { announce } from './announcement.ts'
import { hasBrowser, mayOpen } from './browser.ts'
import { whileWaiting, type Keys } from './waiting.ts'

/** How a person wants to be asked. */
export interface Asking {
  readonly server: string
  readonly clientName: string
  readonly browser: boolean
  readonly qr: boolean
}

/** Asks for a code and waits until a person approved it (RFC 8628). */
export async function obtainKey(context: Context, asking: Asking): Promise<DeviceLogin> {
  const { surroundings, output } = context
  const { now, sleep, signal: interrupted } = surroundings
  const client = clientFor(context, asking)
  const code = await client.POST('/auth/device/code', { body: { client_name: asking.clientName } })
  const expiresAt = now() + code.expires_in * 1_000
  const poll = (signal: AbortSignal) =>
    pollDeviceLogin(client, code, { signal: AbortSignal.any([signal, interrupted]), now, sleep })
  if (speaksLines(context)) {
    output.jsonLine({ status: 'waiting_for_authorization', ...withoutSecret(code) })
    return poll(interrupted)
  }
  const opens =
    asking.browser &&
    hasBrowser(surroundings) &&
    mayOpen(code.verification_uri_complete, asking.server)
  announce(output, code, { ...asking, opens })
  const open = () =>
    void surroundings.openUrl(code.verification_uri_complete).catch(() => undefined)
  if (opens) open()
  return whileWaiting(surroundings, { expiresAt, ...keysFor(context, code, opens && open) }, poll)
}

/** Whether a program reads: then every step is a line of JSON. */
export const speaksLines = ({ output, surroundings }: Context): boolean =>
  output.json || surroundings.stdout.isTTY !== true

/** The device code is this program's alone. */
function withoutSecret({
  verification_uri,
  verification_uri_complete,
  user_code,
  expires_in,
}: DeviceCode) {
  return { verification_uri, verification_uri_complete, user_code, expires_in }
}

function keysFor(
  { surroundings }: Context,
  { user_code: userCode }: DeviceCode,
  open: (() => void) | false,
): { keys: Keys; help: string } {
  if (!isInteractive(surroundings)) return { keys: {}, help: 'Ctrl-C to stop' }
  // OSC 52: the terminal's own clipboard, also over SSH.
  const copied = `\u001B]52;c;${Buffer.from(userCode).toString('base64')}\u0007`
  const copy = () => void surroundings.stdout.write(copied)
  return open
    ? { keys: { c: copy, o: open }, help: 'c copy code · o open again · q stop' }
    : { keys: { c: copy }, help: 'c copy code · q stop' }
}
