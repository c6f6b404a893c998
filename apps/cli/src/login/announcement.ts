import type { DeviceCode } from '@hosting/sdk'
import encodeQr from 'qr'
import type { Output } from '../output/output.ts'
import { printable } from '../output/printable.ts'

/** Tells the person where to approve, and what to look for there. */
export function announce(
  output: Output,
  code: DeviceCode,
  { opens, qr, clientName }: { opens: boolean; qr: boolean; clientName: string },
): void {
  const address = printable(code.verification_uri)
  const complete = printable(code.verification_uri_complete)
  const userCode = output.styled('bold', printable(code.user_code))
  output.lines([
    opens ? `Opening    ${address}   (or open it on any device)` : `Open       ${address}`,
    `Your code  ${userCode}   check that the page shows the same code`,
    `The page calls this program "${printable(clientName)}".`,
    '  Only continue if you started this. If a person or website gave you this code, refuse.',
    ...(qr ? ['', encodeQr(complete, 'term'), complete] : []),
  ])
}
