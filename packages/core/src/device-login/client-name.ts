const lengthMax = 64

/** Control characters, line and paragraph separators, and what turns the direction of the text around it. */
const unfit = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** A client's name as it is kept, or what is wrong with it. */
export type ClientName = { readonly name: string } | { readonly fault: string }

/**
 * Judges the name that a device login gives itself, which the approver is shown and the key is named
 * after (contract §3).
 *
 * @returns the name, trimmed, or the fault as a sentence without its subject.
 */
export function judgeClientName(given: string): ClientName {
  if (unfit.test(given)) {
    return { fault: 'must not contain control or bidirectional-override characters' }
  }
  const name = given.trim()
  const length = Array.from(name).length
  if (length === 0 || length > lengthMax) {
    return { fault: `must have 1 to ${lengthMax} characters besides spaces at its ends` }
  }
  return { name }
}
