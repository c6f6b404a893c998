import { statusLabel } from '../deliveries/outcomes.ts'
import { shellQuoted } from '../terminal/text.ts'

/** An event of which the receiver has no id, with what became of it. */
export interface MissingEvent {
  readonly id: string
  readonly type: string
  readonly created_at: string
  /** Of its newest delivery to the webhook; `Not sent` without one. */
  readonly status: string
  /** The newest delivery to the webhook. */
  readonly delivery_id: string | null
}

/** The inputs of `hctl webhooks reconcile`. */
export interface Comparison {
  /** The webhook. */
  readonly id: string
  readonly since: string
  /** The name of the file with the stored ids. */
  readonly file: string
}

/** The status of an event that has no delivery to the webhook. */
export const notSent = 'Not sent'

/** How many deliveries a command names. */
const namedMax = 5

/** What to do about missing events: a line for each status that needs something else. */
export function adviseOnMissing(missing: readonly MissingEvent[], compared: Comparison): string {
  const { id } = compared
  const statuses = new Set(missing.map(({ status }) => status))
  const present = (...labels: string[]) => labels.filter((label) => statuses.has(label))
  const moving = present(...(['queued', 'in_flight', 'waiting_retry'] as const).map(statusLabel))
  const isPaused = statuses.has(statusLabel('waiting_endpoint'))
  const isRetrying = statuses.has(statusLabel('waiting_retry'))
  return [
    ...adviseOnDelivered(missing, compared),
    ...adviseOnRecovery(present(statusLabel('dead'), notSent), compared),
    ...(isPaused
      ? [`${statusLabel('waiting_endpoint')}: hctl webhooks update ${id} --enabled`]
      : []),
    ...(moving.length > 0 ? [`${joinLabels(moving)}: they are sent by themselves.`] : []),
    ...(isRetrying ? [`To send them now: hctl webhooks retry ${id}`] : []),
  ].join('\n')
}

/** A recovery leaves out what has arrived, so each of these deliveries is sent again by itself. */
function adviseOnDelivered(
  missing: readonly MissingEvent[],
  { id, since, file }: Comparison,
): string[] {
  const label = statusLabel('succeeded')
  const deliveries = missing.flatMap(({ status, delivery_id }) =>
    status === label && delivery_id !== null ? [delivery_id] : [],
  )
  if (deliveries.length === 0) return []
  const redeliver = 'hctl deliveries redeliver'
  const named = deliveries.slice(0, namedMax).join(' ')
  if (deliveries.length <= namedMax) return [`${label}: ${redeliver} ${named}`]
  const reconcile = `hctl webhooks reconcile ${id} --since ${since} --ids ${quote(file)}`
  const filter = `'.missing[] | select(.status == "${label}") | .delivery_id'`
  return [
    `${label}, the first ${namedMax} of ${deliveries.length}: ${redeliver} ${named}`,
    `${label}, all: ${reconcile} --jq ${filter} | xargs ${redeliver}`,
  ]
}

function adviseOnRecovery(labels: readonly string[], { id, since }: Comparison): string[] {
  if (labels.length === 0) return []
  const backfill = labels.includes(notSent) ? ' --backfill' : ''
  return [`${joinLabels(labels)}: hctl deliveries recover ${id} --since ${since}${backfill}`]
}

/** `Queued, sending or retrying`. */
function joinLabels(labels: readonly string[]): string {
  const text = labels.join(', ').replace(/, ([^,]+)$/, ' or $1')
  return text.charAt(0) + text.slice(1).toLowerCase()
}

/** A word of a shell command, in quotes if it needs them. */
const quote = (word: string): string => (/^[\w./-]+$/.test(word) ? word : shellQuoted(word))
