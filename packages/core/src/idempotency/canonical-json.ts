/**
 * JSON with the members of every object in order of their names, and a `Date` as JSON writes it; the empty
 * text for `undefined`. Goes without recursion, since a body may be nested more deeply than the stack.
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

/** Text, or a value that is yet to be written. */
type Piece = string | { readonly value: unknown }

function piecesOf(value: unknown): Piece[] {
  // A date has no members: its time would be left out.
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
