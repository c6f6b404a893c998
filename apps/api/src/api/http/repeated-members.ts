import { Problem } from '@hosting/core/problems'

type Members = Record<string, unknown>

/** The fields of a form. A field that occurs several times is the list of its values. */
export function membersOfForm(text: string): Members {
  const fields = Map.groupBy(new URLSearchParams(text), ([name]) => name)
  return Object.fromEntries(
    [...fields].map(([name, [first, ...more]]) => [
      name,
      more.length === 0 ? first![1] : [first!, ...more].map(([, value]) => value),
    ]),
  )
}

/**
 * Parses a JSON text. An object is returned without the members that occur several times, of which `JSON.parse` alone
 * keeps the last.
 *
 * @returns `undefined` for an empty text.
 * @throws Problem `malformed_json`
 */
export function membersOfJson(text: string): unknown {
  if (text === '') return undefined
  const value = parse(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? withoutRepeated(value as Members, namesOf(text)) : value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('malformed_json')
  }
}

function withoutRepeated(members: Members, names: readonly string[]): Members {
  const [seen, repeated] = [new Set<string>(), new Set<string>()]
  for (const name of names) (seen.has(name) ? repeated : seen).add(name)
  return Object.fromEntries(Object.entries(members).filter(([name]) => !repeated.has(name)))
}

/** A name with its colon, another string, or a bracket. */
const tokens = /(?<name>"(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[[\]{}]/g

/** The names of the members of a valid JSON object, as often as they occur. */
function namesOf(text: string): string[] {
  const names: string[] = []
  let depth = 0
  for (const { 0: token, groups } of text.matchAll(tokens)) {
    const name = groups!['name']
    if (name !== undefined && depth === 1) names.push(JSON.parse(name) as string)
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') depth--
  }
  return names
}
