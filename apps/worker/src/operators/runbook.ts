import { readFileSync } from 'node:fs'

/** The sections of docs/operations.md that these pages lead to, by their anchors. */
export const runbookAnchors = [
  'health',
  'deliveries-back-up',
  'a-slow-endpoint',
  'a-consumer-is-stuck',
  'redis-is-away',
  'postgresql-is-away',
  'revocations-wait',
  'the-audit-log-was-changed',
  'partitions-are-missing',
  'recoveries',
  'retention-lags',
] as const

/** One of {@link runbookAnchors}. */
export type RunbookAnchor = (typeof runbookAnchors)[number]

/** Where the worker shows docs/operations.md. */
export const runbookPath = '/operations/runbook'

/** The address of a section. */
export const runbookLink = (anchor: RunbookAnchor): string => `${runbookPath}#${anchor}`

/** docs/operations.md as HTML: `npm run generate` makes it. */
export const runbookHtml = readFileSync(
  new URL('../../assets/runbook.html', import.meta.url),
  'utf8',
)
