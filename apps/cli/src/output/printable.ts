/** Controls and marks that change the reading direction: names come from others, and this is a terminal. */
const unprintable = /[\p{Cc}\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/gu

/** The text without what could command the terminal that shows it. */
export const printable = (text: string): string => text.replace(unprintable, '\uFFFD')
