import helmet, { type HelmetOptions } from 'helmet'
import type { IncomingMessage, ServerResponse } from 'node:http'

const options: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  xFrameOptions: { action: 'deny' },
  // Two years. The list that browsers carry along is not asked for (`preload`): who runs the domain decides that.
  strictTransportSecurity: { maxAge: 63_072_000, includeSubDomains: true },
}

/** What helmet does on an answer, computed once: each header of each answer costs most of a microsecond. */
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

/** Those that mean something on an answer of any kind (OWASP REST Security Cheat Sheet, "Security Headers"). */
const names = new Set([
  'Content-Security-Policy',
  'Cross-Origin-Resource-Policy',
  'Referrer-Policy',
  'X-Content-Type-Options',
  'X-Frame-Options',
])

/** The headers of every answer: a document may load nothing and stands in no frame, and nothing is cached. */
export const answerHeaders: ReadonlyMap<string, string> = new Map([
  ['Cache-Control', 'no-store'],
  ...[...ofHelmet].filter(([name]) => names.has(name)),
])

/** What a page carries besides: the rest of helmet's headers, and the devices that it does not ask for. */
export const pageHeaders: ReadonlyMap<string, string> = new Map([
  ...[...ofHelmet].filter(([name]) => !names.has(name) && name !== strictTransport),
  ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=()'],
])

/** What an answer to a request that came over TLS carries besides, and no other (RFC 6797, section 7.2). */
export const tlsHeaders: ReadonlyMap<string, string> = new Map(
  [...ofHelmet].filter(([name]) => name === strictTransport),
)
