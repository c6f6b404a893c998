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
