import { readFileSync } from 'node:fs'

/** The anchors of the sections of docs/operations.md that these pages link to. */
export const runbookAnchors = [
  'health',
  'deliveries-back-up',
  'a-slow-endpoint',
  'mail-waits',
  'endpoints-that-fail',
  'a-consumer-is-stuck',
  'attempts-are-not-recorded',
  'a-clock-is-wrong',
  'undecryptable-secrets',
  'redis-is-down',
  'postgresql-is-down',
  'postgresql-does-not-accept-writes',
  'pending-revocations',
  'the-audit-log-was-changed',
  'partitions-are-missing',
  'recoveries',
  'a-transaction-stays-open',
  'retention-lags',
] as const

/** One of {@link runbookAnchors}. */
export type RunbookAnchor = (typeof runbookAnchors)[number]

/** The path of docs/operations.md on the worker. */
export const runbookPath = '/operations/runbook'

/** The link to a section. */
export const runbookLink = (anchor: RunbookAnchor): string => `${runbookPath}#${anchor}`

/** docs/operations.md as HTML, created by `npm run generate`. */
export const runbookHtml = readFileSync(
  new URL('../../assets/runbook.html', import.meta.url),
  'utf8',
)
