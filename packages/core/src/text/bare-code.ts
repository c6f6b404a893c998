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
