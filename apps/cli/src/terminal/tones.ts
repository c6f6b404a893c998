/** What a state means for its reader. */
export type Tone = 'good' | 'warn' | 'bad' | 'quiet'

/** The states that commands show, by the words of the panel. */
const tones: Readonly<Record<Tone, readonly string[]>> = {
  good: ['Active', 'Delivered', 'Enabled', 'Healthy', 'Recovered', 'Success'],
  warn: ['Disabled', 'Retrying', 'Unstable'],
  bad: ['Failed', 'Failing', 'Open', 'Refused'],
  quiet: ['Deleted', 'Expired', 'No attempts yet', 'Paused', 'Revoked'],
}

/** The colors of a terminal, as `styleText` names them. */
export const toneStyles = { good: 'green', warn: 'yellow', bad: 'red', quiet: 'gray' } as const

const byWord = new Map(
  Object.entries(tones).flatMap(([tone, words]) => words.map((word) => [word, tone as Tone])),
)

/** The tone of a word, or of what stands before further details: `Refused: expired`, `Disabled (kept failing)`. */
export const toneOf = (text: string): Tone | undefined =>
  byWord.get(text) ?? byWord.get(text.split(/[:(]/)[0]!.trim())
