/** Calls one of our listeners with a token; every call must succeed. */
export type Call = <Body = unknown>(method: string, path: string, body?: unknown) => Promise<Body>

/** An unsuccessful response. */
export class CallError extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/**
 * Creates a client for one base URL.
 *
 * @throws CallError, from the calls, for a response outside 2xx.
 */
export function callWith(base: string, token: string, lifetime: AbortSignal): Call {
  return async <Body>(method: string, path: string, body?: unknown) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([lifetime, AbortSignal.timeout(15_000)]),
    })
    const text = await response.text()
    if (!response.ok) {
      throw new CallError(`${method} ${path} gave ${response.status}: ${text}`, response.status)
    }
    return (text ? JSON.parse(text) : undefined) as Body
  }
}
