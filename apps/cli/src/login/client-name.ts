import { hostname, userInfo } from 'node:os'
import { printable } from '../output/printable.ts'

/** The most that the service takes. */
const lengthMax = 64

/** What the approval page shows, unless `--name` says otherwise: who, at which machine. */
export function defaultClientName(): string {
  const name = printable(`${userNameHere()}@${hostname()}`).replaceAll('\uFFFD', '')
  return Array.from(name).slice(0, lengthMax).join('').trim()
}

/** A user without an entry in the system's table has no name. */
function userNameHere(): string {
  try {
    return userInfo().username
  } catch {
    return 'hctl'
  }
}
