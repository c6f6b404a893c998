/** The size limits and timeouts of a listener. Times in ms. */
export interface ListenerLimits {
  /** Maximum size of the request line and the header fields together, as Node counts them. */
  readonly headerBytesMax: number
  readonly headerFieldsMax: number
  /** Maximum length of the request target. */
  readonly urlBytesMax: number
  /** Time to receive the complete header, from the connection or the first byte. */
  readonly headersMs: number
  /** Time to receive the complete request with its body, from the first byte. */
  readonly requestMs: number
  /** How often the two are checked. A slow client may have this much more time. */
  readonly checkEveryMs: number
  /** A connection without traffic for this time is closed, even during a response. */
  readonly stalledMs: number
  /** How long a connection without a request in progress is kept open. */
  readonly keepAliveMs: number
  /** Maximum connections. Further ones are closed immediately. */
  readonly connectionsMax: number
  /** When the listener closes: the time for connections without a request in progress to finish sending one. */
  readonly closingMs: number
  /** When the listener closes: the time for requests in progress to complete. */
  readonly drainMs: number
}

/** The default limits of a listener. */
export const listenerLimits: ListenerLimits = {
  headerBytesMax: 16 * 2 ** 10,
  headerFieldsMax: 100,
  // The recommended minimum of RFC 9110, section 4.1.
  urlBytesMax: 8_000,
  headersMs: 10_000,
  requestMs: 30_000,
  checkEveryMs: 1_000,
  // Longer than the maximum interval between heartbeats of a stream, `LISTEN_HEARTBEAT_SECONDS`.
  stalledMs: 90_000,
  // Longer than the idle time of common load balancers, so that they close first.
  keepAliveMs: 65_000,
  connectionsMax: 10_000,
  closingMs: 1_000,
  // Shorter than the time that a process has for draining.
  drainMs: 12_000,
}
