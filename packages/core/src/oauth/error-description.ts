/**
 * Converts a text to an `error_description`: printable ASCII without `"` and `\` (RFC 6749, section 5.2). Quotation
 * marks become apostrophes, and other characters that are not allowed become question marks.
 */
export const toErrorDescription = (text: string): string =>
  text
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replaceAll(/[^ -~]/gu, '?')
