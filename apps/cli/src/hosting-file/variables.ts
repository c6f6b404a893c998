/** `${NAME}`, or `$${`, which stands for `${`. */
const reference = /\$\$\{|\$\{([^}]*)\}/g
const nameOf = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Replaces `${NAME}` in all texts of a value. The names of members stay. */
export function takeVariables(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
): { readonly value: unknown; readonly missing: readonly string[] } {
  const missing = new Set<string>()
  const take = (text: string): string =>
    text.replace(reference, (written, name: string | undefined) => {
      if (name === undefined) return '${'
      // A secret that a CI service does not give to a job is an empty text.
      const found = nameOf.test(name) ? env[name] : undefined
      if (!found) missing.add(written)
      return found ?? ''
    })
  return { value: mapTexts(value, take), missing: [...missing] }
}

/** Whether a value takes something from the environment. */
export function hasVariables(value: unknown): boolean {
  let found = false
  mapTexts(value, (text) => {
    found ||= [...text.matchAll(reference)].some(([, name]) => name !== undefined)
    return text
  })
  return found
}

/** Writes texts so that {@link takeVariables} gives the same ones. */
export const escapeVariables = (value: unknown): unknown =>
  mapTexts(value, (text) => text.replaceAll('${', () => '$${'))

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapTexts(member, map)]),
  )
}
