/** Blank glyphs that are not white space in Unicode: BRAILLE PATTERN BLANK and MUSICAL SYMBOL NULL NOTEHEAD. */
const blanks = '\\u2800\\u{1D159}'
/** Default-ignorable combining marks that are not variation selectors. */
const ignorableMarks = '\\u034F\\u17B4\\u17B5'
const visible = `[^\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}\\p{M}\\p{Default_Ignorable_Code_Point}${blanks}]`
/** Combining marks (including variation selectors), ZERO WIDTH NON-JOINER and ZERO WIDTH JOINER. */
const attached = `(?![${ignorableMarks}])[\\p{M}\\u200C\\u200D]`
const spaces = `[\\p{Zs}\\u2800]*`

/** Maximum combining marks, joiners and variation selectors in a row. */
const attachedMax = 8

const visibleText = new RegExp(
  `^${spaces}(?:${visible}(?:${attached}){0,${attachedMax}}${spaces})+$`,
  'u',
)

/**
 * Whether people can read the text: visible characters and spaces, with at least one visible character. Combining
 * marks, joiners and variation selectors must follow a visible character. Control and format characters, line
 * separators and default-ignorable characters are refused, because they hide or reorder text.
 */
export const isVisibleText = (text: string): boolean => visibleText.test(text)

/** The error for a text that is not visible text, as a sentence without its subject. */
export const visibleTextMessage =
  'must have a visible character and no control, format or invisible characters'

/**
 * Whether the text is an email address that can be a recipient of a mail: visible text without spaces, and without the
 * characters that separate recipients or enclose them in a header. A local part in double quotes may contain these,
 * except angle brackets (RFC 5322, section 3.4.1).
 */
export const isEmailAddress = (text: string): boolean =>
  emailAddress.test(text) && isVisibleText(text)

const emailAddress = /^(?:[^@\s()<>[\]:;,\\"]+|"[^@\s<>\\"]+")@[^@\s()<>;,\\"]+$/

/** The error for a text that is not an email address, as a sentence without its subject. */
export const emailAddressMessage = 'must be an email address, such as person@example.com'

/**
 * Replaces the characters with which a text could add lines to a document or reorder what follows: control characters,
 * line separators and bidirectional controls. For texts that may have been stored before {@link isVisibleText} applied.
 */
export const toOneLine = (text: string): string => text.replace(lineBreaking, ' ')

const lineBreaking = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]+/gu

/** White space, dashes, the minus sign, and characters that are not seen, such as ZERO WIDTH SPACE and a BOM. */
const separators = /[\s\p{Z}\p{Pd}\p{Cf}\p{Default_Ignorable_Code_Point}\u2212]/gu

/** FULLWIDTH EXCLAMATION MARK to FULLWIDTH TILDE: the printable ASCII characters as East Asian keyboards type them. */
const fullwidth = /[\uFF01-\uFF5E]/g
const fullwidthOffset = 0xfee0

/**
 * A code as a person typed or pasted it, without everything that separates its characters, and in characters of ASCII
 * where they were typed in full width. Case stays.
 */
export const bareCode = (text: string): string =>
  text
    .replace(fullwidth, (character) =>
      String.fromCodePoint(character.codePointAt(0)! - fullwidthOffset),
    )
    .replace(separators, '')

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
]

/**
 * Names the browser and operating system of a `User-Agent`. A hint only: the header can claim anything. It contains no
 * words of the header, because mails and the panel show it.
 */
export function describeAgent(userAgent: string): string {
  const [browser, system] = [browsers, systems].map(
    (known) => known.find(([pattern]) => pattern.test(userAgent))?.[1],
  )
  if (browser === undefined) return 'Unknown browser'
  return system === undefined ? browser : `${browser} on ${system}`
}
