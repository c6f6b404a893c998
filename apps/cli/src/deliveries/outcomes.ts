import type { Delivery } from '@hosting/sdk'

/** The label of each delivery status, the same as in the panel. */
const statusLabels = {
  queued: 'Queued',
  in_flight: 'Sending',
  waiting_retry: 'Retrying',
  waiting_endpoint: 'Paused',
  succeeded: 'Delivered',
  dead: 'Failed',
} as const satisfies Readonly<Record<Delivery['status'], string>>

export const statusLabel = (status: Delivery['status']): string => statusLabels[status] ?? status

/** What `--status` accepts: the labels in lower case and the API's own names. */
export const statusChoices: readonly string[] = [
  ...new Set([
    ...Object.values(statusLabels).map((label) => label.toLowerCase()),
    ...Object.keys(statusLabels),
  ]),
]

/** The status with this name or label, in any case; undefined if there is none. */
export function findStatus(text: string): Delivery['status'] | undefined {
  const wanted = text.toLowerCase()
  const found = Object.entries(statusLabels).find(
    ([status, label]) => status === wanted || label.toLowerCase() === wanted,
  )
  return found?.[0] as Delivery['status'] | undefined
}

/** The parts of an attempt that tell how it ended. */
export interface AttemptResult {
  readonly status_code: number | null
  readonly error_class: string | null
}

interface ErrorClass {
  readonly label: string
  readonly meaning: string
  readonly advice: string
}

/** What each error class means, as in the webhook guide. */
const errorClasses: Readonly<Record<string, ErrorClass>> = {
  address_not_public: {
    label: 'Address not public',
    meaning: 'The host name resolves to a private, loopback or other non-public address.',
    advice: 'Make every A and AAAA record public.',
  },
  dns_error: {
    label: 'DNS error',
    meaning: 'The host name does not resolve, or not in time.',
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
    meaning: 'The connection was closed before the response.',
    advice: 'Check for crashes, restarts and proxy limits.',
  },
  tls_error: {
    label: 'TLS error',
    meaning: 'The server does not use TLS, or its certificate is not valid.',
    advice: 'Renew the certificate, serve its intermediates and check the name in it.',
  },
  timeout: {
    label: 'Timeout',
    meaning: 'The endpoint did not respond within 10 seconds.',
    advice: 'Respond first and process the event afterwards.',
  },
  redirect: {
    label: 'Redirect',
    meaning: 'The endpoint redirects to another URL. Redirects are not followed.',
    advice: 'Set the final URL. Check for a missing slash, another host name or a sign-in page.',
  },
  http_error: {
    label: 'HTTP error',
    meaning: 'The endpoint responded with an error status.',
    advice:
      '400: check the secret and that the raw body is verified. 401, 403: exempt the path from sign-in, CSRF and bot checks. 404: check the path. 5xx: check the logs.',
  },
  protocol_error: {
    label: 'Invalid HTTP',
    meaning: 'The response is not valid HTTP.',
    advice: 'Check that the port belongs to the web server.',
  },
  internal_error: {
    label: 'Internal error',
    meaning: 'An error in this service.',
    advice: 'None: the delivery is retried. Contact support if the error persists.',
  },
}

/** How an attempt ended, in few words: `HTTP 500`, `Timeout`. */
export function resultLabel({ status_code: status, error_class: errorClass }: AttemptResult) {
  if (status !== null) return `HTTP ${status}`
  return errorClass === null ? '-' : (errorClasses[errorClass]?.label ?? errorClass)
}

/** What a failed attempt means and what to do about it, as lines; none for a success. */
export function explainFailure({ error_class: errorClass }: AttemptResult): string[] {
  const known = errorClass === null ? undefined : errorClasses[errorClass]
  return known ? [known.meaning, known.advice] : []
}
