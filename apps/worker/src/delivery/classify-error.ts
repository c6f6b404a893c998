import type { ErrorClass } from '@hosting/core/webhooks'
import { ConnectionError } from '@hosting/process'
import { isNativeError } from 'node:util/types'

/** The class of an error before the response (docs/specification/deliveries.md#attempt-record). */
export function classifyError(error: unknown): ErrorClass {
  const causes = causesOf(error)
  const connectionError = causes.find((cause) => cause instanceof ConnectionError)
  if (connectionError) return connectionError.errorClass
  for (const { code } of causes) {
    const found = code && rules.find(([pattern]) => pattern.test(code))
    if (found) return found[1]
  }
  return 'internal_error'
}

/** Codes of libuv (`errno`), of Node's TLS and of its HTTP parser. The first match wins. */
const rules: readonly [RegExp, ErrorClass][] = [
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL)$/, 'connection_refused'],
  [/^ETIMEDOUT$/, 'connect_timeout'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'dns_error'],
  [/^HPE_/, 'protocol_error'],
  [/^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|EPROTO$)/, 'tls_error'],
  [
    /^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH)/,
    'tls_error',
  ],
  // `UNSPECIFIED` is Node's code for all errors of certificates that have no code of their own.
  [/^(ERROR_IN_CERT_|ERROR_IN_CRL_|PATH_LENGTH_EXCEEDED$|UNSPECIFIED$)/, 'tls_error'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/, 'connection_reset'],
]

interface Cause {
  readonly code?: string
}

/** The error and its causes, innermost first, because wrappers hide the most specific code. */
function causesOf(error: unknown): Cause[] {
  const causes: (Error & Cause)[] = []
  let cause = error
  // `instanceof Error` is false for the errors of another realm.
  while (isNativeError(cause) && causes.length < causesMax) {
    causes.unshift(cause)
    cause = cause.cause
  }
  return causes
}

const causesMax = 5
