import type { DeviceCode } from '@hosting/sdk'
import encodeQr from 'qr'
import type { Environment } from '../environment.ts'
import { Interruption } from '../exit-codes.ts'
import { withKeys } from '../terminal/keys.ts'
import type { Output } from '../terminal/output.ts'
import { StatusLine } from '../terminal/status-line.ts'
import { formatCountdown, printable } from '../terminal/text.ts'

/** Tells the user where to approve the login, and what to check there. */
export function printApprovalSteps(
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
export type KeyActions = Readonly<Record<string, () => void>>

/** Shows a line that counts down, and handles keys, until `work` ends. */
export async function withCountdown<T>(
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
