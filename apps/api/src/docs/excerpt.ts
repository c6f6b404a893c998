/** How many characters of a text an excerpt shows, and how many of them before the first match. */
const excerptLength = 180
const excerptLead = 60

/**
 * The part of a text with the first of the words. It begins and ends between words, unless the match is in a word that
 * is too long.
 *
 * @param words - in lower case.
 */
export function excerptOf(text: string, words: readonly string[]): string {
  const { start, end } = findFirst(text.toLowerCase(), words)
  const from = startOf(text, start)
  const cut = text.slice(from, from + excerptLength)
  const isLast = from + excerptLength >= text.length
  const space = cut.lastIndexOf(' ')
  const shown = isLast || from + space < end ? cut : cut.slice(0, space)
  return `${from === 0 ? '' : '… '}${shown}${isLast ? '' : ' …'}`
}

/** Where the first match of a word is. */
function findFirst(text: string, words: readonly string[]): { start: number; end: number } {
  const [first = { start: 0, end: 0 }] = words
    .map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length }))
    .filter(({ start }) => start >= 0)
    .toSorted((one, other) => one.start - other.start)
  return first
}

/** Where the excerpt begins: at a word before the match, or within the long word that has it. */
function startOf(text: string, match: number): number {
  const lead = match - excerptLead
  if (lead <= 0) return 0
  const space = text.indexOf(' ', lead)
  return space === -1 || space >= match ? lead : space + 1
}
