import { eventPatterns, scopes, webhookUrlLengthMax } from '@hosting/core'

type Json = Record<string, unknown>

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const hextet = '[0-9A-Fa-f]{1,4}'
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/** The pattern of one of several texts. */
const oneOf = (texts: readonly string[]): string =>
  `^(?:${texts.map((text) => text.replace(/[.*]/g, '\\$&')).join('|')})$`

/** Numbers from one to another, both included, in steps. */
const range = (first: number, last: number, step = 1): string =>
  Array.from({ length: (last - first) / step + 1 }, (_, index) => first + index * step).join('|')

/** IPv4 networks without host bits: whole octets, one that is cut by the prefix, and zeros. */
const ipv4Networks = Array.from({ length: 33 }, (_, prefix) => {
  const [whole, bits] = [Math.floor(prefix / 8), prefix % 8]
  const cut = bits === 0 ? [] : [`(?:${range(0, 256 - 2 ** (8 - bits), 2 ** (8 - bits))})`]
  const octets = [...Array<string>(whole).fill(octet), ...cut]
  return `${[...octets, ...Array<string>(4 - octets.length).fill('0')].join('\\.')}/${prefix}`
}).join('|')

/** IPv6 networks of whole groups, as RFC 5952 writes them: `2001:db8::/32`. */
const ipv6Networks = Array.from({ length: 8 }, (_, groups) => {
  const head = Array<string>(groups).fill(hextet).join(':')
  return `${head}::/(?:${range(groups * 16, 128)})`
}).join('|')

/** Letters and symbols that show nothing, and marks that are no part of a letter. */
const invisible = '\\u115F\\u1160\\u3164\\uFFA0\\u2800\\u034F\\u17B4\\u17B5\u{1D159}'

/** Visible text, in character classes that generators of values know; see `packages/core/src/text/visible-text.ts`. */
const visibleText = `^(?![\\s\\S]*[${invisible}])[ \\u00A0\\u3000]*(?:[\\p{L}\\p{N}\\p{P}\\p{S}][\\p{M}\\u200C\\u200D]{0,8}[ \\u00A0\\u3000]*)+$`

/**
 * What the document says in place of our own formats, which other tools do not know. It may be narrower than what is
 * accepted: whoever keeps to it is never refused for the member's form.
 */
const published: Readonly<Record<string, Json>> = {
  // As patterns, so that programs compiled against an older document take a new value.
  'event-pattern': { pattern: oneOf(eventPatterns) },
  scope: { pattern: oneOf(scopes) },
  'visible-text': { pattern: visibleText },
  'client-name': { pattern: visibleText, maxLength: 64 },
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
    maxLength: webhookUrlLengthMax,
    pattern: `^https://(?:${label}\\.)+[A-Za-z]{2,63}(?::[1-9]\\d{0,3})?(?:/[A-Za-z0-9._~/-]*)?(?:\\?[A-Za-z0-9._~=&-]*)?$`,
  },
}

/** A schema as the document shows it: with standard keywords only. */
export function toPublished(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toPublished)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, toPublished(value)]),
  )
  const { format, ...others } = members
  const form = typeof format === 'string' && published[format]
  return form ? { ...others, ...form } : members
}

/** The schema of a request body: texts that have no form of their own may hold any character but NUL. */
export function toPublishedBody(schema: unknown): unknown {
  return forbidNul(toPublished(schema))
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
