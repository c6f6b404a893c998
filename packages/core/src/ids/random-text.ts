import { randomBytes } from 'node:crypto'

/**
 * Random characters of an alphabet. Bytes beyond the last multiple of its length are dropped to avoid modulo bias.
 *
 * @param alphabet - at most 256 characters.
 * @param length - of the text, in characters.
 */
export function randomText(alphabet: string, length: number): string {
  const usable = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < usable && text.length < length) text += alphabet[byte % alphabet.length]!
    }
  }
  return text
}
