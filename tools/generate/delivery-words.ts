import {
  deliveryStatusLabels,
  endpointAddressPattern,
  errorClassHelp,
  statusAdvice,
  unstableFailureRate,
} from '@hosting/core/webhooks'
import { formatAs } from './format.ts'

/** apps/cli/src/generated/delivery-words.ts: `hctl` imports only the SDK, so it has its own copy of the texts. */
export const deliveryWords = (): Promise<string> =>
  formatAs(
    'delivery-words.ts',
    `// Made by \`npm run generate\` from packages/core/src/webhooks.

/** The label of each status of a delivery. */
export const deliveryStatusLabels = ${JSON.stringify(deliveryStatusLabels)} as const

/** From this failure rate on, a healthy endpoint is called unstable. */
export const unstableFailureRate = ${unstableFailureRate}

/** The address of an endpoint in its URL: host, port and path. */
export const endpointAddressPattern = ${JSON.stringify(endpointAddressPattern)}

/** What to do about an error status. */
export const statusAdvice = ${JSON.stringify(statusAdvice)} as const

/** What each error class of an attempt means, and what to do about it. */
export const errorClassHelp = ${JSON.stringify(errorClassHelp)} as const
`,
  )

/** The table of error classes in the guide for receivers. */
export function errorClassTable(): string {
  const rows = Object.entries(errorClassHelp).map(([name, { meaning, advice }]) => [
    `\`${name}\``,
    meaning,
    advice,
  ])
  const head = ['Class', 'What happened', 'What to do']
  const widths = head.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]!.length)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index]!)).join(' | ')} |`
  const rule = widths.map((width) => '-'.repeat(width))
  return [head, rule, ...rows].map(line).join('\n')
}
