// What the client programs in JavaScript share.
import { createInterface } from 'node:readline'

const lines = createInterface(process.stdin)[Symbol.asyncIterator]()

/** Prints a value on a line. */
export const show = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)

/** Waits until the person presses Enter. */
export const pressedEnter = () => lines.next()

/** Calls the API. Returns the status, and the name of the key if it works. */
export async function me(token) {
  const response = await fetch(`${process.env.HOSTING_URL}/api/v1/auth/me`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { key } = await response.json()
  return { status: response.status, name: key?.name }
}
