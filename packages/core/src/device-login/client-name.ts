import { isVisibleText, visibleTextMessage } from '../text/visible-text.ts'

const lengthMax = 64

/** A client's name as it is kept, or what is wrong with it. */
export type ClientName = { readonly name: string } | { readonly fault: string }

/**
 * Judges the name that a device login gives itself, which the approver is shown and the key is named after.
 *
 * @returns the name, trimmed, or the fault as a sentence without its subject.
 */
export function judgeClientName(given: string): ClientName {
  if (!isVisibleText(given)) return { fault: visibleTextMessage }
  const name = given.trim()
  if (Array.from(name).length > lengthMax) {
    return { fault: `must have 1 to ${lengthMax} characters besides spaces at its ends` }
  }
  return { name }
}
