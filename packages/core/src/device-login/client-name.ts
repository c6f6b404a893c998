import { isVisibleText, visibleTextMessage } from '../text/visible-text.ts'
import { clientNameLengthMax } from './limits.ts'

/** A valid client name, or the error. */
export type ClientName = { readonly name: string } | { readonly error: string }

/**
 * Validates the name that a client sends. It is shown to the approver and becomes the name of the key.
 *
 * @returns the trimmed name, or the error as a sentence without its subject.
 */
export function readClientName(given: string): ClientName {
  if (!isVisibleText(given)) return { error: visibleTextMessage }
  const name = given.trim()
  if (Array.from(name).length > clientNameLengthMax) {
    return {
      error: `must have 1 to ${clientNameLengthMax} characters, not counting spaces at its ends`,
    }
  }
  return { name }
}
