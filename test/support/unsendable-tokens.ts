/** The secret part of the tokens below. No output of any client may contain it. */
export const secretPart = 'S3cretPart'.repeat(4).slice(0, 38)
export const wholeToken = `hctl_${'a'.repeat(12)}_${secretPart}`

/** Tokens as files and variables hold them, with white space around them, which clients remove. */
export const paddedTokens: Readonly<Record<string, string>> = {
  'a line break at the end': `${wholeToken}\n`,
  'a line break of Windows at the end': `${wholeToken}\r\n`,
  'a byte order mark': `\uFEFF${wholeToken}`,
  'blanks around it': ` \t${wholeToken} `,
}

/** What people store instead of a token, and a word of the error that names the problem. */
export const unsendableTokens: Readonly<Record<string, readonly [token: string, named: RegExp]>> = {
  'a second line': [`${wholeToken}\nsecond-${secretPart}`, /more than one line/],
  'a second line of Windows': [`${wholeToken}\r\nX-Other: ${secretPart}`, /more than one line/],
  'a carriage return within': [`${wholeToken}\r${secretPart}`, /more than one line/],
  'a zero width space': [`${wholeToken}\u200B`, /may be invisible/],
  'a zero width space within': [`hctl_\u200B${wholeToken}`, /may be invisible/],
  'a byte order mark within': [`hctl_\uFEFF${secretPart}`, /white space|may be invisible/],
  'quotation marks': [`"${wholeToken}"`, /quotation marks/],
  'single quotation marks': [`'${wholeToken}'`, /quotation marks/],
  'typographic quotation marks': [`\u201C${wholeToken}\u201D`, /quotation marks/],
  'a quotation mark at the end': [`${wholeToken}'`, /quotation marks/],
  'the word Bearer': [`Bearer ${wholeToken}`, /Bearer/],
  'the word bearer': [`bearer  ${wholeToken}`, /Bearer/],
  'a whole header': [`Authorization: Bearer ${wholeToken}`, /white space/],
  'an export command': [`export HCTL_TOKEN=${wholeToken}`, /assignment/],
  'an assignment': [`HCTL_TOKEN=${wholeToken}`, /assignment/],
  'an assignment of PowerShell': [`$env:HCTL_TOKEN = "${wholeToken}`, /assignment/],
  'a blank within': [`${wholeToken} ${secretPart}`, /white space/],
  'nothing but a line break': ['\n', /empty/],
  'very much text': [secretPart.repeat(1_000), /longer than/],
  'letters that are not ASCII': [`${wholeToken}ü`, /not printable ASCII/],
  'letters beyond one byte': [`${wholeToken}ключ`, /not printable ASCII/],
  'an emoji': [`${wholeToken}😀`, /not printable ASCII/],
  'a null character': [`${wholeToken}\0${secretPart}`, /null character/],
  'an escape sequence': [`\u001B[31m${wholeToken}`, /not printable ASCII/],
}

/** Everything that an error shows anywhere: its text, stack, members and causes. */
export function everythingOf(error: unknown, inspect: (value: unknown) => string): string {
  const texts: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    const { name, message, stack = '' } = each
    texts.push(name, message, stack, String(each), JSON.stringify(each), inspect(each))
  }
  return texts.join('\n')
}
