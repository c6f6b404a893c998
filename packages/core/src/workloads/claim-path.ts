/**
 * The path to a claim that a condition names: the members to follow from the claims. A name that begins with `/` is a JSON
 * Pointer (RFC 6901), any other is that of a claim.
 *
 * @returns `undefined` if the name is no valid pointer.
 */
export function toClaimPath(name: string): readonly string[] | undefined {
  if (!name.startsWith('/')) return [name]
  if (/~(?![01])/.test(name)) return undefined
  const unescape = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~')
  return name.slice(1).split('/').map(unescape)
}

/** Whether a condition names a claim of the token itself, by its name or a pointer to it. */
export function namesClaim(name: string, claim: string): boolean {
  const path = toClaimPath(name)
  return path?.length === 1 && path[0] === claim
}

/** A number with its text in the token: ids may be longer than a number of JavaScript is exact. */
export class NumberClaim {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * The texts of a claim that can meet a condition: a string itself, of numbers and booleans the JSON text, and of an array
 * those of its elements. Other values have none.
 *
 * @param claims - the claims, with a {@link NumberClaim} for each number.
 */
export function textsOfClaim(claims: unknown, name: string): readonly string[] {
  let value = claims
  for (const member of toClaimPath(name) ?? []) value = memberOf(value, member)
  return (Array.isArray(value) ? value : [value]).flatMap(textOf)
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || value instanceof NumberClaim) return undefined
  if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(name)) return undefined
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}

function textOf(value: unknown): string | [] {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return value instanceof NumberClaim ? value.text : []
}
