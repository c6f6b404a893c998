import { clientNameLengthMax } from '@hosting/core/device-login'
import { scopes } from '@hosting/core/scopes'
import {
  customHeaderNameLengthMax,
  customHeaderValueLengthMax,
  eventPatterns,
  reservedHeaderNames,
  reservedHeaderPrefixes,
  endpointUrlLengthMax,
} from '@hosting/core/webhooks'

type Json = Record<string, unknown>

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const hextet = '[0-9A-Fa-f]{1,4}'
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/** A pattern that matches any of the texts. */
const oneOf = (texts: readonly string[]): string =>
  `^(?:${texts.map((text) => text.replace(/[.*]/g, '\\$&')).join('|')})$`

/** Alternatives for the numbers from `first` to `last`, inclusive. */
const range = (first: number, last: number, step = 1): string =>
  Array.from({ length: (last - first) / step + 1 }, (_, index) => first + index * step).join('|')

/** IPv4 networks without host bits: whole octets, then the octet that the prefix divides, then zeros. */
const ipv4Networks = Array.from({ length: 33 }, (_, prefix) => {
  const [whole, bits] = [Math.floor(prefix / 8), prefix % 8]
  const cut = bits === 0 ? [] : [`(?:${range(0, 256 - 2 ** (8 - bits), 2 ** (8 - bits))})`]
  const octets = [...Array<string>(whole).fill(octet), ...cut]
  return `${[...octets, ...Array<string>(4 - octets.length).fill('0')].join('\\.')}/${prefix}`
}).join('|')

/** IPv6 networks of whole groups in the format of RFC 5952: `2001:db8::/32`. */
const ipv6Networks = Array.from({ length: 8 }, (_, groups) => {
  const head = Array<string>(groups).fill(hextet).join(':')
  return `${head}::/(?:${range(groups * 16, 128)})`
}).join('|')

/** Invisible letters, symbols and combining marks. */
const invisible = '\\u115F\\u1160\\u3164\\uFFA0\\u2800\\u034F\\u17B4\\u17B5\u{1D159}'

/** Visible text, in character classes that test data generators support; see `packages/core/src/text/visible-text.ts`. */
const visibleText = `^(?![\\s\\S]*[${invisible}])[ \\u00A0\\u3000]*(?:[\\p{L}\\p{N}\\p{P}\\p{S}][\\p{M}\\u200C\\u200D]{0,8}[ \\u00A0\\u3000]*)+$`

/** Names of custom headers, in lower case only, because an object may have two names that differ in case. */
const headerName = `^(?!(?:${reservedHeaderNames.join('|')})$|${reservedHeaderPrefixes.join('|')})[!#$%&'*+.^_\`|~0-9a-z-]+$`

/**
 * Replacements for our own formats, which other tools do not know. They may be narrower than what the API accepts, so
 * they are never served: a value that matches is never refused for its format.
 */
const narrow: Readonly<Record<string, Json>> = {
  'event-pattern': { pattern: oneOf(eventPatterns) },
  scope: { pattern: oneOf(scopes) },
  'visible-text': { pattern: visibleText },
  'email-address': { pattern: '^[A-Za-z0-9.+-]{1,64}@[A-Za-z0-9-]{1,30}[.][a-z]{2,20}$' },
  'client-name': { pattern: visibleText, maxLength: clientNameLengthMax },
  'header-name': { pattern: headerName, minLength: 1, maxLength: customHeaderNameLengthMax },
  'header-value': {
    pattern: '^[!-~](?:[ -~]*[!-~])?$',
    minLength: 1,
    maxLength: customHeaderValueLengthMax,
  },
  'ip-address': {
    anyOf: [
      { type: 'string', format: 'ipv4' },
      { type: 'string', format: 'ipv6' },
    ],
  },
  'ip-network': {
    anyOf: [
      { type: 'string', format: 'ipv4' },
      { type: 'string', format: 'ipv6' },
      { type: 'string', pattern: `^(?:${ipv4Networks})$` },
      { type: 'string', pattern: `^(?:${ipv6Networks})$` },
    ],
  },
  'webhook-url': {
    format: 'uri',
    maxLength: endpointUrlLengthMax,
    pattern: `^https://(?:${label}\\.)+[A-Za-z]{2,63}(?::[1-9]\\d{0,3})?(?:/[A-Za-z0-9._~/-]*)?(?:\\?[A-Za-z0-9._~=&-]*)?$`,
  },
}

/** Converts a schema to standard keywords, for tests. The values that it describes are never refused. */
export function toExact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toExact)
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, ...described } = schema as Json
  const members = Object.fromEntries(
    Object.entries({ ...described, ...(typeof title === 'object' && { title }) }).map(
      ([name, value]) => [name, toExact(value)],
    ),
  )
  const { format, ...others } = members
  const form = typeof format === 'string' && narrow[format]
  return form ? { ...others, ...form } : members
}

/** Converts the schema of a request body. Text without its own format may hold any character except NUL. */
export function toExactBody(schema: unknown): unknown {
  return forbidNul(toExact(schema))
}

function forbidNul(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(forbidNul)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, forbidNul(value)]),
  )
  return isFreeText(members) ? { ...members, pattern: '^[^\\u0000]*$' } : members
}

const isFreeText = (schema: Json): boolean =>
  schema['type'] === 'string' &&
  ['pattern', 'format', 'enum', 'const', 'anyOf'].every((keyword) => !(keyword in schema))
