/** How much of its client's a listener takes, and how long it waits. Times in ms. */
export interface ListenerLimits {
  /** Of the request line and the header fields together, as Node counts them. */
  readonly headerBytesMax: number
  readonly headerFieldsMax: number
  /** Of the target of the request line. */
  readonly urlBytesMax: number
  /** The header must be whole so long after the connection or its first byte. */
  readonly headersMs: number
  /** The request must be whole, with its body, so long after its first byte. */
  readonly requestMs: number
  /** How often the two are looked at: a slow client may have so much more. */
  readonly checkEveryMs: number
  /** A connection on which nothing moves for so long is ended, also in the middle of an answer. */
  readonly stalledMs: number
  /** A connection without a request in hand is kept for so long. */
  readonly keepAliveMs: number
  /** Further connections are closed at once. */
  readonly connectionsMax: number
  /** When the listener closes, connections without a request in hand may finish sending one for so long. */
  readonly closingMs: number
  /** When the listener closes, requests in hand may take so long. */
  readonly drainMs: number
}

/** The limits of every listener of ours. */
export const listenerLimits: ListenerLimits = {
  headerBytesMax: 16 * 2 ** 10,
  headerFieldsMax: 100,
  // RFC 9110, section 4.1: at least so much should be taken.
  urlBytesMax: 8_000,
  headersMs: 10_000,
  requestMs: 30_000,
  checkEveryMs: 1_000,
  // Longer than the pause between two signs of life of a stream, `LISTEN_HEARTBEAT_SECONDS`, can be.
  stalledMs: 90_000,
  // Longer than the idle time of common load balancers, so that they close first.
  keepAliveMs: 65_000,
  connectionsMax: 10_000,
  closingMs: 1_000,
  // Shorter than a process may take to end.
  drainMs: 12_000,
}
