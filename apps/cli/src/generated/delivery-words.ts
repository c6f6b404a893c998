// Made by `npm run generate` from packages/core/src/webhooks.

/** The label of each status of a delivery. */
export const deliveryStatusLabels = {
  queued: 'Queued',
  in_flight: 'Sending',
  waiting_retry: 'Retrying',
  waiting_endpoint: 'Paused',
  succeeded: 'Delivered',
  dead: 'Failed',
} as const

/** From this failure rate on, a healthy endpoint is called unstable. */
export const unstableFailureRate = 0.05

/** The address of an endpoint in its URL: host, port and path. */
export const endpointAddressPattern = '^[a-zA-Z]+://(?:[^/?#@]*@)?([^/?#]+(?:/+[^/?#]+)*)'

/** What to do about an error status. */
export const statusAdvice = [
  { statuses: '^400$', name: '400', advice: 'Check the secret and that the raw body is verified.' },
  {
    statuses: '^40[13]$',
    name: '401, 403',
    advice: 'Exempt the path from sign-in, CSRF and bot checks.',
  },
  { statuses: '^404$', name: '404', advice: 'Check the path.' },
  { statuses: '^5', name: '5xx', advice: 'Check the logs.' },
] as const

/** What each error class of an attempt means, and what to do about it. */
export const errorClassHelp = {
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
    meaning: 'An error of this service.',
    advice: 'Nothing: the delivery is retried. Contact support if the error persists.',
  },
} as const
