/** Control characters and marks that change the reading direction. */
const unprintable = /[\p{Cc}\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/gu

/** Replaces what could control the terminal: names come from other people. */
export const printable = (text: string): string => text.replace(unprintable, '\uFFFD')

const zeroWidth = /^[\p{M}\p{Cf}]$/u
const doubleWidth =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFF60]$/u

const widthOfCharacter = (character: string): number =>
  zeroWidth.test(character) ? 0 : doubleWidth.test(character) ? 2 : 1

/** How many columns of a terminal the text occupies. */
export const widthOf = (text: string): number =>
  Array.from(text).reduce((sum, character) => sum + widthOfCharacter(character), 0)

/** Shortens the text to a width, with `…` in place of what is cut off. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let used = 1
  for (const character of text) {
    used += widthOfCharacter(character)
    if (used > width) break
    kept += character
  }
  return `${kept}…`
}

/** A time of the API to the second: `2026-11-20 15:57:37Z`. */
export const formatTime = (time: string | null): string | null =>
  time && time.replace('T', ' ').replace(/\.\d+Z$/, 'Z')

/** A time of the API to the millisecond: `2026-11-20 15:57:37.123Z`. */
export const formatPreciseTime = (time: string): string => time.replace('T', ' ')

/** The time left until a deadline, as `9:41`. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const

/** A duration in its two largest units: `4 m 12 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const first = units.findIndex(([, size]) => seconds >= size)
  if (first === -1) return '0 s'
  return units
    .slice(first, first + 2)
    .map(([unit, size], index) => {
      const rest = index === 0 ? seconds : seconds % units[first]![1]
      return [Math.floor(rest / size), unit] as const
    })
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

/** Presents a secret that the API returns only once. It is null in a repeated response. */
export const oneTimeSecretLines = (label: string, secret: string | null): string[] => [
  '',
  `${label}  ${secret ?? '(lost)'}`,
  `${' '.repeat(label.length)}  Shown only once. Store it now.`,
]

/** A text as one word of a POSIX shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

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
