import type { FieldError } from '../problems/problem.ts'
import { deliveryHeaderPrefix } from './delivery-headers.ts'
import {
  customHeaderNameLengthMax,
  customHeadersMax,
  customHeaderValueLengthMax,
} from './limits.ts'

/** The custom headers of an endpoint: values by name. */
export type CustomHeaders = Readonly<Record<string, string>>

/** The secrets store's context for the custom headers with this id. */
export const customHeadersContext = (headersId: string): string => `webhook-headers:${headersId}`

/** Header names in lower case that a custom header must not have: those of HTTP, of proxies and of tracing. */
export const reservedHeaderNames: readonly string[] = [
  // A valid name, but got cannot send it.
  '__proto__',
  'accept-encoding',
  'connection',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]

/** Prefixes in lower case that the name of a custom header must not have, besides the configured one. */
export const reservedHeaderPrefixes: readonly string[] = [
  'content-',
  'proxy-',
  'service-',
  'webhook-',
  'x-forwarded-',
]

/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible ASCII characters, and spaces between them. */
const headerValue = /^[!-~](?:[ -~]*[!-~])?$/

/**
 * Checks the custom headers of an endpoint (docs/specification/webhooks.md#custom-headers).
 *
 * @param headers - names and values as they were given, so that a repeated name can be found.
 * @param headerPrefix - `WEBHOOK_HEADER_PREFIX`, which is reserved too.
 * @returns the errors by JSON pointer. They name headers and never contain a value.
 */
export function checkCustomHeaders(
  headers: readonly (readonly [string, string])[],
  headerPrefix: string = deliveryHeaderPrefix,
): FieldError[] {
  if (headers.length > customHeadersMax) {
    return [{ pointer: '/headers', message: `must not have more than ${customHeadersMax} headers` }]
  }
  const prefixes = [...reservedHeaderPrefixes, `${headerPrefix.toLowerCase()}-`]
  const seen = new Set<string>()
  return headers.flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    const isRepeated = seen.has(lower)
    seen.add(lower)
    const reason = isRepeated ? repeated : (checkName(name, prefixes) ?? checkValue(value))
    return reason === undefined ? [] : [{ pointer: pointerTo(name), message: reason }]
  })
}

const repeated = 'is given twice: names are not case-sensitive'

function checkName(name: string, prefixes: readonly string[]): string | undefined {
  // As it was given: letters that are not ASCII, such as the Kelvin sign, can have ASCII lower case.
  if (!token.test(name)) {
    return "must have a name of letters, digits and !#$%&'*+-.^_`|~ (RFC 9110)"
  }
  const lower = name.toLowerCase()
  if (lower.length > customHeaderNameLengthMax) {
    return `must have a name of at most ${customHeaderNameLengthMax} characters`
  }
  const isReserved =
    reservedHeaderNames.includes(lower) || prefixes.some((prefix) => lower.startsWith(prefix))
  return isReserved
    ? 'has a reserved name: choose another, such as Authorization or a name that starts with X-'
    : undefined
}

function checkValue(value: string): string | undefined {
  if (value.length > customHeaderValueLengthMax) {
    return `must have at most ${customHeaderValueLengthMax} characters`
  }
  return headerValue.test(value)
    ? undefined
    : 'must be 1 or more visible ASCII characters, with spaces only between them'
}

/** RFC 6901, section 3. */
const pointerTo = (name: string): string =>
  `/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** The names of custom headers as the API returns them: in lower case, sorted. */
export const customHeaderNames = (headers: CustomHeaders): string[] =>
  Object.keys(headers)
    .map((name) => name.toLowerCase())
    .toSorted()
