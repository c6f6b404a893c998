import { isVisibleText, visibleTextMessage } from '../text/visible-text.ts'

const lengthMax = 64

/** A valid client name, or what is wrong with it. */
export type ClientName = { readonly name: string } | { readonly fault: string }

/**
 * Reads the name that a client gives itself. The approver sees it, and the key is named after it.
 *
 * @returns the trimmed name, or the error as a sentence without its subject.
 */
export function readClientName(given: string): ClientName {
  if (!isVisibleText(given)) return { fault: visibleTextMessage }
  const name = given.trim()
  if (Array.from(name).length > lengthMax) {
    return { fault: `must have 1 to ${lengthMax} characters besides spaces at its ends` }
  }
  return { name }
}
