/** A page, or a part of it that begins with a heading. */
export interface SearchEntry {
  readonly href: string
  readonly title: string
  readonly page: string
  readonly text: string
}

/** Which entries contain what: see {@link createSearchIndex}. */
export interface SearchIndex {
  /**
   * Finds the entries that contain every word. Entries with every word in the title come first, then the others by number
   * of matches.
   *
   * @param words - of {@link searchedWords}.
   */
  find(words: readonly string[]): readonly SearchEntry[]
}

/** The most words of a query, and the fewest characters of a word. The query is anonymous, so its cost has a limit. */
export const wordsMax = 8
export const wordLengthMin = 2

/** The words of a query that are searched: the first different ones, in lower case. Whether others were left out. */
export function searchedWords(query: string): { words: readonly string[]; isCut: boolean } {
  const given = query.toLowerCase().split(/\s+/).filter(Boolean)
  const all = [...new Set(given)].filter((word) => word.length >= wordLengthMin)
  return { words: all.slice(0, wordsMax), isCut: all.length > wordsMax }
}

/** How often an entry contains a word of the documentation, by the number of the entry. */
type Postings = ReadonlyMap<number, number>

/**
 * Indexes entries by the words that they contain. A word of a query may be a part of several. The cost of a query is that
 * of reading the list of words once for each of its words, and the entries of the rarest of them.
 */
export function createSearchIndex(entries: readonly SearchEntry[]): SearchIndex {
  const titles = entries.map(({ title }) => title.toLowerCase())
  const postings = new Map<string, Map<number, number>>()
  for (const [number, { title, text }] of entries.entries()) {
    for (const word of `${title} ${text}`.toLowerCase().split(/\s+/)) {
      const ofWord = postings.get(word) ?? new Map<number, number>()
      postings.set(word, ofWord.set(number, (ofWord.get(number) ?? 0) + 1))
    }
  }

  /** The entries with words that contain a word. */
  function postingsOf(searched: string): Postings {
    const found = new Map<number, number>()
    for (const [word, ofWord] of postings) {
      if (!word.includes(searched)) continue
      const times = word.split(searched).length - 1
      for (const [number, count] of ofWord) {
        found.set(number, (found.get(number) ?? 0) + count * times)
      }
    }
    return found
  }

  return {
    find(words) {
      const [rarest, ...others] = words
        .map(postingsOf)
        .toSorted((one, other) => one.size - other.size)
      if (!rarest) return []
      return [...rarest]
        .filter(([number]) => others.every((each) => each.has(number)))
        .map(([number, count]) => ({
          entry: entries[number]!,
          rank: words.every((word) => titles[number]!.includes(word))
            ? Number.POSITIVE_INFINITY
            : others.reduce((sum, each) => sum + each.get(number)!, count),
        }))
        .toSorted((one, other) => (one.rank === other.rank ? 0 : other.rank - one.rank))
        .map(({ entry }) => entry)
    },
  }
}
