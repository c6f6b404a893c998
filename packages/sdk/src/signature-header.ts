import { WebhookVerificationError } from './webhook-verification-error.ts'

/** What a `Service-Signature` header says. */
export interface SignatureHeader {
  /** When it was signed, exactly as written, because the signature covers these characters. */
  readonly t: string
  /** Every `v1`, as written. */
  readonly v1: readonly string[]
}

/**
 * Reads the header: takes `t` and every `v1`, and passes over what later schemes may add.
 *
 * @throws WebhookVerificationError unless it has exactly one `t`, a number, and at least one `v1`.
 */
export function parseSignatureHeader(header: string | null | undefined): SignatureHeader {
  if (!header) throw new WebhookVerificationError('header_missing')
  const items = header.split(',')
  const valuesOf = (name: string): string[] =>
    items.filter((item) => item.startsWith(`${name}=`)).map((item) => item.slice(name.length + 1))
  const [t, ...furtherTs] = valuesOf('t')
  const v1 = valuesOf('v1')
  // Of two times the signature covers only one, and the other must not be the one that is checked.
  const isWhole = t !== undefined && /^\d+$/.test(t) && furtherTs.length === 0 && v1.length > 0
  if (!isWhole) throw new WebhookVerificationError('header_malformed')
  return { t, v1 }
}
