import { errorClassHelp } from '@hosting/core/webhooks'
import { markdownTable } from './markdown-table.ts'

/** The table of error classes in the guide for receivers. */
export function errorClassTable(): string {
  const rows = Object.entries(errorClassHelp).map(([name, { meaning, advice }]) => [
    `\`${name}\``,
    meaning,
    advice,
  ])
  return markdownTable(['Class', 'What happened', 'What to do'], rows)
}
