import { clientNameLengthMax } from '@hosting/core/device-login'
import { pollDeviceLogin, startDeviceLogin, type DeviceCode, type DeviceLogin } from '@hosting/sdk'
import { hostname, userInfo } from 'node:os'
import type { Context } from '../context.ts'
import { isInteractive } from '../environment.ts'
import { printable } from '../terminal/text.ts'
import { printApprovalSteps, withCountdown, type KeyActions } from './approval-prompt.ts'
import { hasBrowser, mayOpen } from './browser.ts'
import { clientFor } from './sign-in.ts'

/** How to start a device login and present it. */
export interface DeviceLoginRequest {
  readonly server: string
  readonly clientName: string
  readonly browser: boolean
  readonly qr: boolean
}

/** Requests a device code and waits until the user approves it (RFC 8628). */
export async function runDeviceLogin(
  context: Context,
  request: DeviceLoginRequest,
): Promise<DeviceLogin> {
  const { environment, output } = context
  const { now, sleep, signal: interrupted } = environment
  const client = clientFor(context, { server: request.server })
  const code = await startDeviceLogin(client, request.clientName)
  const expiresAt = now() + code.expires_in * 1_000
  const poll = (signal: AbortSignal) => pollDeviceLogin(client, code, { signal, now, sleep })
  if (printsJsonLines(context)) {
    output.jsonLine({ status: 'waiting_for_authorization', ...withoutDeviceCode(code) })
    return poll(interrupted)
  }
  const url = code.verification_uri_complete
  const opens = request.browser && hasBrowser(environment) && mayOpen(url, request.server)
  printApprovalSteps(output, code, { ...request, opens })
  const open = () => void environment.openUrl(url).catch(() => undefined)
  if (opens) open()
  return withCountdown(
    environment,
    { expiresAt, ...actionsFor(context, code, opens && open) },
    poll,
  )
}

/** Whether a program reads the output; each step is then a line of JSON. */
export const printsJsonLines = ({ output, environment }: Context): boolean =>
  output.json || environment.stdout.isTTY !== true

/** The device code is a secret of this process. */
function withoutDeviceCode({
  verification_uri,
  verification_uri_complete,
  user_code,
  expires_in,
}: DeviceCode) {
  return { verification_uri, verification_uri_complete, user_code, expires_in }
}

function actionsFor(
  { environment }: Context,
  { user_code: userCode }: DeviceCode,
  open: (() => void) | false,
): { keys: KeyActions; help: string } {
  if (!isInteractive(environment)) return { keys: {}, help: 'Ctrl-C to stop' }
  // OSC 52 sets the clipboard of the terminal, over SSH too.
  const sequence = `\u001B]52;c;${Buffer.from(userCode).toString('base64')}\u0007`
  const copy = () => void environment.stdout.write(sequence)
  return open
    ? { keys: { c: copy, o: open }, help: 'c copy code · o open again · q stop' }
    : { keys: { c: copy }, help: 'c copy code · q stop' }
}

/** The name on the approval page without `--name`: user and machine. */
export function defaultClientName(): string {
  const name = printable(`${localUserName()}@${hostname()}`).replaceAll('\uFFFD', '')
  return Array.from(name).slice(0, clientNameLengthMax).join('').trim()
}

/** In a container, the user may have no entry in the system's user table. */
function localUserName(): string {
  try {
    return userInfo().username
  } catch {
    return 'hctl'
  }
}
