import type { Candidate, Place } from './completion.ts'

/** For `hctl completion fish | source`. */
export const toFish = (places: readonly Place[]): string =>
  [
    '# hctl completion fish',
    'function __hctl_words',
    "    string match --invert --regex '^-' -- (commandline --tokens-expanded --cut-at-cursor)[2..] | string join ' '",
    'end',
    'complete --command hctl --no-files',
    ...places.flatMap((place) => place.candidates.map((candidate) => toLine(place, candidate))),
  ].join('\n')

function toLine({ words }: Place, { word, description }: Candidate): string {
  // An id may follow a command's words.
  const where = words.includes(' ')
    ? `string match --quiet --regex '^${words}( |$)' -- (__hctl_words)`
    : `test "$(__hctl_words)" = '${words}'`
  const what = word.startsWith('--') ? `--long-option ${word.slice(2)}` : `--arguments ${word}`
  return `complete --command hctl --condition ${quote(where)} ${what} --description ${quote(description)}`
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
