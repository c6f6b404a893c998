/** The first line of a generated Markdown document, and the empty line after it. @param sources - what to edit instead. */
export const noticeOf = (sources: string): string =>
  `<!-- Made by \`npm run generate\` from ${sources}. Edit that, not this file. -->\n\n`
