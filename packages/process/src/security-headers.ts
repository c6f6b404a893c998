import helmet, { type HelmetOptions } from 'helmet'
import type { IncomingMessage, ServerResponse } from 'node:http'

const options: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  xFrameOptions: { action: 'deny' },
  // Two years. Without `preload`: the owner of the domain decides whether to join the browsers' list.
  strictTransportSecurity: { maxAge: 63_072_000, includeSubDomains: true },
}

/** The headers that helmet sets, computed once, because each header of a response would cost almost a microsecond. */
function headersOfHelmet(): Map<string, string> {
  const headers = new Map<string, string>()
  const recorder = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => undefined,
  }
  helmet(options)({} as IncomingMessage, recorder as unknown as ServerResponse, (error) => {
    if (error) throw error
  })
  return headers
}

const ofHelmet = headersOfHelmet()
const strictTransport = 'Strict-Transport-Security'

/** The headers that apply to every response (OWASP REST Security Cheat Sheet, "Security Headers"). */
const names = new Set([
  'Content-Security-Policy',
  'Cross-Origin-Resource-Policy',
  'Referrer-Policy',
  'X-Content-Type-Options',
  'X-Frame-Options',
])

/** The headers of every response: documents load nothing, cannot be framed, and are not cached. */
export const responseHeaders: ReadonlyMap<string, string> = new Map([
  ['Cache-Control', 'no-store'],
  ...[...ofHelmet].filter(([name]) => names.has(name)),
])

/** Additional headers of pages: the rest of helmet's headers, and a policy that disables device access. */
export const pageHeaders: ReadonlyMap<string, string> = new Map([
  ...[...ofHelmet].filter(([name]) => !names.has(name) && name !== strictTransport),
  [
    'Permissions-Policy',
    'camera=(), geolocation=(), microphone=(), payment=(), publickey-credentials-create=(self), publickey-credentials-get=(self)',
  ],
])

/** Additional headers of responses over TLS. They must not be sent otherwise (RFC 6797, section 7.2). */
export const tlsHeaders: ReadonlyMap<string, string> = new Map(
  [...ofHelmet].filter(([name]) => name === strictTransport),
)
