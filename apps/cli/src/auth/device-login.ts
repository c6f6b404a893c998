import { clientNameLengthMax } from '@hosting/core/device-login'
import { pollDeviceLogin, startDeviceLogin, type DeviceCode, type DeviceLogin } from '@hosting/sdk'
import { hostname, userInfo } from 'node:os'
import type { Context } from '../context.ts'
import { isInteractive, type Environment } from '../environment.ts'
import { printable, formatCountdown } from '../terminal/text.ts'
import { hasBrowser, mayOpen } from '../open.ts'
import { clientFor } from './sign-in.ts'
import encodeQr from 'qr'
import { Interruption } from '../exit-codes.ts'
import { withKeys } from '../terminal/keys.ts'
import type { Output } from '../terminal/output.ts'
import { StatusLine } from '../terminal/status-line.ts'

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

/** Tells the user where to approve the login, and what to check there. */
function printApprovalSteps(
  output: Output,
  code: DeviceCode,
  { opens, qr, clientName }: { opens: boolean; qr: boolean; clientName: string },
): void {
  const url = printable(code.verification_uri)
  const complete = printable(code.verification_uri_complete)
  const userCode = output.styled('bold', printable(code.user_code))
  output.lines([
    opens ? `Opening    ${url}   (or open it on any device)` : `Open       ${url}`,
    `Your code  ${userCode}   check that the page shows the same code`,
    `The page calls this program "${printable(clientName)}".`,
    '  Approve only if you started this login. If someone sent you this code, deny it.',
    ...(qr ? ['', encodeQr(complete, 'term'), complete] : []),
  ])
}

const frames = Array.from('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏')
const frameMs = 100

/** What each key does during the wait; Ctrl-C and q end it. */
type KeyActions = Readonly<Record<string, () => void>>

/** Shows a line that counts down, and handles keys, until `work` ends. */
async function withCountdown<T>(
  environment: Pick<Environment, 'stdin' | 'stdout' | 'platform' | 'signal' | 'now'>,
  { expiresAt, keys, help }: { expiresAt: number; keys: KeyActions; help: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { stdin, stdout, now, signal } = environment
  const stopped = new AbortController()
  const onKey = (key: string): void => {
    if (key === 'q') stopped.abort(new Interruption())
    else keys[key]?.()
  }
  const line = new StatusLine(stdout)
  let frame = 0
  const show = (): void => {
    frame = (frame + 1) % frames.length
    const left = formatCountdown(expiresAt - now())
    line.show(`${frames[frame]} Waiting for approval... ${left} left   (${help})`)
  }
  const timer = setInterval(show, frameMs)
  const waitWith = (other: AbortSignal) => work(AbortSignal.any([other, stopped.signal]))
  try {
    if (stdin.isTTY !== true) return await waitWith(signal)
    return await withKeys(environment, onKey, (terminal) => waitWith(terminal.signal))
  } finally {
    clearInterval(timer)
    line.show('')
  }
}
