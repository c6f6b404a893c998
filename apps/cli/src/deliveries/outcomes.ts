import { attemptResultLabel, deliveryStatusLabels, findAttemptHelp } from '@hosting/core/webhooks'
import type { Delivery } from '@hosting/sdk'

/** A status that this program knows. The service may have newer ones. */
type KnownStatus = keyof typeof deliveryStatusLabels

/** The label of a delivery status, the same as in the panel. */
export const statusLabel = (status: Delivery['status']): string =>
  deliveryStatusLabels[status as KnownStatus] ?? status

/** What `--status` accepts: the labels in lower case and the API's own names. */
export const statusChoices: readonly string[] = [
  ...new Set([
    ...Object.values(deliveryStatusLabels).map((label) => label.toLowerCase()),
    ...Object.keys(deliveryStatusLabels),
  ]),
]

/** The status with this name or label, in any case; undefined if there is none. */
export function findStatus(text: string): KnownStatus | undefined {
  const wanted = text.toLowerCase()
  const found = Object.entries(deliveryStatusLabels).find(
    ([status, label]) => status === wanted || label.toLowerCase() === wanted,
  )
  return found?.[0] as KnownStatus | undefined
}

/** The parts of an attempt that tell how it ended. */
export interface AttemptResult {
  readonly status_code: number | null
  readonly error_class: string | null
}

/** How an attempt ended, in few words: `HTTP 500`, `Timeout`. */
export const resultLabel = ({ status_code, error_class }: AttemptResult): string =>
  attemptResultLabel({ statusCode: status_code, errorClass: error_class }) ?? '-'

/** What a failed attempt means and what to do about it, as lines; none for a success. */
export function explainFailure({ status_code, error_class }: AttemptResult): string[] {
  const help = findAttemptHelp({ statusCode: status_code, errorClass: error_class })
  return help ? [help.meaning, help.advice] : []
}
