/**
 * JSON with the members of every object sorted by name. A `Date` is written as in JSON, `undefined` as the empty
 * string. Not recursive, because a body may be nested deeper than the call stack allows. Seals of the audit
 * log (`sealHash`) and hashes of idempotent requests (`hashRequest`) cover this text: a change of it breaks every stored
 * one.
 */
export function canonicalJson(whole: unknown): string {
  let json = ''
  const rest: Piece[] = [{ value: whole }]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === 'string') json += next
    else for (const piece of piecesOf(next.value).toReversed()) rest.push(piece)
  }
  return json
}

/** Text, or a value that is not written yet. */
type Piece = string | { readonly value: unknown }

function piecesOf(value: unknown): Piece[] {
  // As an object, a date has no members, so its time would be lost.
  if (typeof value !== 'object' || value === null || value instanceof Date)
    return [JSON.stringify(value) ?? '']
  if (Array.isArray(value)) {
    return ['[', ...value.flatMap((item, index) => [index > 0 ? ',' : '', { value: item }]), ']']
  }
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const pieces = members.flatMap(([name, member], index) => [
    `${index > 0 ? ',' : ''}${JSON.stringify(name)}:`,
    { value: member as unknown },
  ])
  return ['{', ...pieces, '}']
}
