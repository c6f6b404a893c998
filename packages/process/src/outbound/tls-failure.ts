/** Why TLS failed, in the words that people read. */
export type TlsFailure =
  | 'the certificate has expired'
  | 'the certificate is not valid yet'
  | 'the certificate is for another host name'
  | 'the certificate is self-signed'
  | 'the certificate is from an unknown authority'
  | 'the certificate was revoked'
  | 'the certificate is not valid'
  | 'the TLS handshake failed'

/** Codes of Node's TLS. The first match wins. */
const rules: readonly [RegExp, TlsFailure][] = [
  [/^CERT_HAS_EXPIRED$/, 'the certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'the certificate is not valid yet'],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    'the certificate is for another host name',
  ],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'the certificate is self-signed'],
  [/^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/, 'the certificate is from an unknown authority'],
  [/^CERT_REVOKED$/, 'the certificate was revoked'],
  [
    /^(CERT_|CRL_|ERROR_IN_C|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|UNSPECIFIED$)/,
    'the certificate is not valid',
  ],
  [/^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$)/, 'the TLS handshake failed'],
]

/**
 * Why TLS failed, from the error of a connection or one that caused it.
 *
 * @returns `undefined` if the error is not one of TLS.
 */
export function tlsFailureOf(error: unknown, depth = 0): TlsFailure | undefined {
  if (typeof error !== 'object' || error === null || depth > depthMax) return undefined
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  const found = rules.find(([pattern]) => typeof code === 'string' && pattern.test(code))
  return found?.[1] ?? tlsFailureOf(cause, depth + 1)
}

const depthMax = 5
