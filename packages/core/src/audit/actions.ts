import { canonicalJson } from '../text/canonical-json.ts'

/** The actions of the audit log (docs/specification/audit-log.md#actions). */
export const auditActions = [
  'account.create',
  'account.delete',
  'account.update',
  'api_key.create',
  'api_key.end_token',
  'api_key.exchange',
  'api_key.refuse',
  'api_key.revoke',
  'api_key.revoke_secret',
  'api_key.rotate',
  'api_key.set_back',
  'api_key.update',
  'audit_log.set_back',
  'device.approve',
  'device.refuse',
  'impersonation.start',
  'impersonation.stop',
  'key_policy.update',
  'notification_settings.update',
  'passkey.create',
  'passkey.remove',
  'password.change',
  'security_policy.update',
  'session.confirm',
  'session.create',
  'session.refuse',
  'session.revoke',
  'sign_in_link.create',
  'tenant.create',
  'tenant.delete',
  'tenant.update',
  'totp.activate',
  'totp.enrol',
  'totp.remove',
  'user.create',
  'user.delete',
  'user.update',
  'webhook.create',
  'webhook.delete',
  'webhook.ping',
  'webhook.recover',
  'webhook.recover_cancel',
  'webhook.redeliver',
  'webhook.retry_now',
  'webhook.rotate_secret',
  'webhook.test',
  'webhook.update',
] as const

/** An action of the audit log. */
export type AuditAction = (typeof auditActions)[number]

/** Repeated refusals of a key are counted for this long and then recorded as one (docs/specification/audit-log.md). */
export const refusalMinuteMs = 60_000

/** Maximum rows that the refusals of a key for one reason add to the audit log in that time. */
export const refusalRowsMax = 20

/** Maximum length of an action by which the audit log is filtered, in characters. */
export const auditActionLengthMax = 100

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
