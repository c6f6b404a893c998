/**
 * The changes to how a person's account is protected, each with the title of its notice of type `security.changed`
 * (docs/specification/notices.md#types).
 */
export const securityChanges = {
  password_changed: 'Your password was changed',
  authenticator_added: 'An authenticator app was added to your account',
  authenticator_removed: 'The authenticator app was removed from your account',
  passkey_added: 'A passkey was added to your account',
  passkey_removed: 'A passkey was removed from your account',
  passkey_copied: 'A copy of one of your passkeys was refused',
  security_mails_on: 'Emails about the security of your account were turned on',
  security_mails_off: 'Emails about the security of your account were turned off',
  impersonated: 'An administrator started to act as you',
} as const

/** A change to how a person's account is protected. */
export type SecurityChange = keyof typeof securityChanges
