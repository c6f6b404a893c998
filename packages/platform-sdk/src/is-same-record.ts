/** The members of which the order and the case do not matter: ids and roles. */
const sets: ReadonlySet<string> = new Set(['roles', 'accounts'])
const ids: ReadonlySet<string> = new Set(['id', 'tenant_id'])

/**
 * Whether a record of the platform is what the service has.
 *
 * @param given - as it would be sent.
 * @param read - as the service returns it.
 */
export function isSameRecord(given: object, read: object): boolean {
  const { password, ...members } = given as Readonly<Record<string, unknown>>
  const there = read as Readonly<Record<string, unknown>>
  if (password !== undefined && there['has_password'] === false) return false
  return Object.entries({ ...('slug' in given && { edition: 'standard' }), ...members }).every(
    ([name, value]) =>
      value === undefined || canonical(name, value) === canonical(name, there[name]),
  )
}

function canonical(name: string, value: unknown): string {
  if (sets.has(name)) {
    const words = (value as readonly string[]).map((word) => word.toLowerCase())
    return [...new Set(words)].toSorted().join()
  }
  return ids.has(name) ? String(value).toLowerCase() : String(value)
}
