import type { Delivery } from '@hosting/sdk'
import { deliveryStatusLabels, errorClassHelp, statusAdvice } from '../generated/delivery-words.ts'

/** The label of a delivery status, the same as in the panel. */
export const statusLabel = (status: Delivery['status']): string =>
  deliveryStatusLabels[status] ?? status

/** What `--status` accepts: the labels in lower case and the API's own names. */
export const statusChoices: readonly string[] = [
  ...new Set([
    ...Object.values(deliveryStatusLabels).map((label) => label.toLowerCase()),
    ...Object.keys(deliveryStatusLabels),
  ]),
]

/** The status with this name or label, in any case; undefined if there is none. */
export function findStatus(text: string): Delivery['status'] | undefined {
  const wanted = text.toLowerCase()
  const found = Object.entries(deliveryStatusLabels).find(
    ([status, label]) => status === wanted || label.toLowerCase() === wanted,
  )
  return found?.[0] as Delivery['status'] | undefined
}

/** The parts of an attempt that tell how it ended. */
export interface AttemptResult {
  readonly status_code: number | null
  readonly error_class: string | null
}

interface Help {
  readonly label: string
  readonly meaning: string
  readonly advice: string
}

/** The service may know newer error classes than this program. */
const helpFor = (errorClass: string): Help | undefined =>
  (errorClassHelp as Readonly<Record<string, Help>>)[errorClass]

/** How an attempt ended, in few words: `HTTP 500`, `Timeout`. */
export function resultLabel({ status_code: status, error_class: errorClass }: AttemptResult) {
  if (status !== null) return `HTTP ${status}`
  return errorClass === null ? '-' : (helpFor(errorClass)?.label ?? errorClass)
}

/** What a failed attempt means and what to do about it, as lines; none for a success. */
export function explainFailure({
  status_code: status,
  error_class: errorClass,
}: AttemptResult): string[] {
  const known = errorClass === null ? undefined : helpFor(errorClass)
  if (!known) return []
  const ofStatus =
    errorClass !== 'http_error'
      ? undefined
      : statusAdvice.find(({ statuses }) => new RegExp(statuses).test(String(status)))
  return [known.meaning, ofStatus?.advice ?? known.advice]
}
