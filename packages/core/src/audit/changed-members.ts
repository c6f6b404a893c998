import { canonicalJson } from '../text/canonical-json.ts'

/** Members of a record, by their names. */
export type Members = Readonly<Record<string, unknown>>

/**
 * The members that differ between two states of a record, with the values of both: null where a state lacks the
 * member. What changed is in the audit log in this form.
 */
export function changedMembers(before: Members, after: Members) {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null),
  )
  const pick = (state: Members): Record<string, unknown> =>
    Object.fromEntries(changed.map((name) => [name, state[name] ?? null]))
  return { before: pick(before), after: pick(after) }
}
