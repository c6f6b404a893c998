import type { ErrorClass } from './attempt.ts'
import { statusCodeMax, statusCodeMin } from './limits.ts'

/** What people need to know about an error class. */
export interface ErrorClassHelp {
  /** In few words, for lists. */
  readonly label: string
  /** What happened. */
  readonly meaning: string
  /** What the owner of the endpoint can do about it. */
  readonly advice: string
}

/** What to do about an error status. */
export interface StatusAdvice {
  /** A regular expression that matches the statuses. */
  readonly statuses: string
  /** The statuses in a text. */
  readonly name: string
  readonly advice: string
}

/** What to do about error statuses. */
export const statusAdvice: readonly StatusAdvice[] = [
  {
    statuses: '^400$',
    name: '400',
    advice: 'Check the secret and that the raw body is verified.',
  },
  {
    statuses: '^40[13]$',
    name: '401, 403',
    advice: 'Exempt the path from sign-in, CSRF and bot checks.',
  },
  { statuses: '^404$', name: '404', advice: 'Check the path.' },
  { statuses: '^5', name: '5xx', advice: 'Check the logs.' },
]

/**
 * What each error class means and what to do about it (docs/specification/deliveries.md#attempt-record). The
 * panel, `hctl` and the guide for receivers show these texts.
 */
export const errorClassHelp: Readonly<Record<ErrorClass, ErrorClassHelp>> = {
  address_not_public: {
    label: 'Address not public',
    meaning: 'The host name resolves to a private, loopback or other non-public address.',
    advice: 'Make every A and AAAA record public. A single address that is not public is refused.',
  },
  dns_error: {
    label: 'DNS error',
    meaning: 'The host name does not resolve, or does not resolve in time.',
    advice: 'Check the host name, its records and its name servers.',
  },
  connection_refused: {
    label: 'Connection refused',
    meaning: 'Nothing accepts connections at the address and port.',
    advice: 'Check the server, the port and the firewall, for IPv6 too if there is an AAAA record.',
  },
  connect_timeout: {
    label: 'Connect timeout',
    meaning: 'The connection could not be opened in time.',
    advice: 'Check whether a firewall drops packets to the port.',
  },
  connection_reset: {
    label: 'Connection reset',
    meaning: 'The connection was closed before a response arrived.',
    advice: 'Check for crashes, restarts and proxy limits.',
  },
  tls_error: {
    label: 'TLS error',
    meaning: 'The server does not use TLS, or its certificate is not valid.',
    advice:
      'Renew the certificate, serve its intermediate certificates and check the name in it. Self-signed certificates are not accepted.',
  },
  timeout: {
    label: 'Timeout',
    meaning: 'The endpoint did not respond within 10 seconds.',
    advice: 'Respond first and process the event afterwards.',
  },
  redirect: {
    label: 'Redirect',
    meaning: 'The endpoint redirects to another URL. Redirects are not followed.',
    advice:
      'Set the final URL. Check for a missing slash, a different host name or a sign-in page.',
  },
  http_error: {
    label: 'HTTP error',
    meaning: 'The endpoint responded with an error status.',
    advice: statusAdvice
      .map(({ name, advice }) => `${name}: ${advice.charAt(0).toLowerCase()}${advice.slice(1)}`)
      .join(' '),
  },
  protocol_error: {
    label: 'Invalid HTTP',
    meaning: `The response is not valid HTTP. Its status, for example, must be from ${statusCodeMin} to ${statusCodeMax}.`,
    advice: 'Check that the port belongs to the web server, and which status the receiver sends.',
  },
  internal_error: {
    label: 'Internal error',
    meaning: 'An error of this service.',
    advice: 'Nothing: the delivery is retried. Contact support if the error persists.',
  },
}

/** The result of an attempt. */
interface AttemptResult {
  readonly statusCode: number | null
  readonly errorClass: string | null
}

/** How an attempt ended, in few words: `HTTP 500`, `Timeout`. `undefined` if neither part says it. */
export function attemptResultLabel({ statusCode, errorClass }: AttemptResult): string | undefined {
  if (statusCode !== null) return `HTTP ${statusCode}`
  return errorClass === null ? undefined : (findHelp(errorClass)?.label ?? errorClass)
}

/** The help for a failed attempt. For an error status, the advice is that for the status, if there is one. */
export function findAttemptHelp({
  statusCode,
  errorClass,
}: AttemptResult): ErrorClassHelp | undefined {
  const help = errorClass === null ? undefined : findHelp(errorClass)
  if (!help || errorClass !== 'http_error') return help
  const found = statusAdvice.find(({ statuses }) => new RegExp(statuses).test(String(statusCode)))
  return found ? { ...help, advice: found.advice } : help
}

const findHelp = (errorClass: string): ErrorClassHelp | undefined =>
  Object.hasOwn(errorClassHelp, errorClass) ? errorClassHelp[errorClass as ErrorClass] : undefined
