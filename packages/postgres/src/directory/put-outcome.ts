import type { AuditAction, Members } from '@hosting/core/audit'

/** What a PUT did to a record of the directory. */
export interface PutOutcome {
  readonly result: 'created' | 'changed' | 'unchanged'
  /** The names of the members that a change changed. */
  readonly fields: readonly string[]
  /** Before a change: the members that the audit log shows. */
  readonly before?: Members
}

/** A change that another change of the directory has caused. */
export interface Consequence {
  readonly action: AuditAction
  /** The type and id of the record. */
  readonly target: { readonly type: string; readonly id: string }
  /** The names of the members that changed. */
  readonly fields?: readonly string[]
}

/** The consequences of one kind. Those without an id, such as sessions that had ended, are none. */
export const consequencesOf = (
  action: AuditAction,
  type: string,
  rows: readonly { readonly id: string | null }[],
): Consequence[] =>
  rows.flatMap(({ id }) => (id === null ? [] : [{ action, target: { type, id } }]))
