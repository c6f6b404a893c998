import { WebhookVerificationError } from './webhook-verification-error.ts'

/** The parsed signature header. */
export interface SignatureHeader {
  /** The signing time, exactly as written, because the signature covers these characters. */
  readonly t: string
  /** Every `v1` value, as written. */
  readonly v1: readonly string[]
}

/**
 * Parses the header. Reads `t` and every `v1`; ignores items that later schemes may add.
 *
 * @throws WebhookVerificationError unless there is exactly one `t`, a number, and at least one `v1`.
 */
export function parseSignatureHeader(header: string | null | undefined): SignatureHeader {
  if (!header) throw new WebhookVerificationError('header_missing')
  const items = header.split(',')
  const valuesOf = (name: string): string[] =>
    items.filter((item) => item.startsWith(`${name}=`)).map((item) => item.slice(name.length + 1))
  const [t, ...moreTimes] = valuesOf('t')
  const v1 = valuesOf('v1')
  // The signature covers only one of two times, and the other must not be the one that is checked.
  const isComplete = t !== undefined && /^\d+$/.test(t) && moreTimes.length === 0 && v1.length > 0
  if (!isComplete) throw new WebhookVerificationError('header_malformed')
  return { t, v1 }
}
