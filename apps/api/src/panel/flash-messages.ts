/** Messages that a page shows once, after an action. A cookie holds the name only, so no outside text is displayed. */
export const flashMessages = {
  signed_out: 'You have signed out.',
  confirmed: 'Identity confirmed. You can continue.',
  workload_key_created:
    'Workload key created. Jobs that meet its conditions can exchange tokens now.',
  key_updated: 'Changes saved. They apply from the next request.',
  key_enabled: 'Key enabled. Requests with it are accepted again.',
  key_disabled: 'Key disabled. Its next request will be rejected.',
  key_narrowed: 'Unused scopes removed. The key keeps the others.',
  previous_secrets_ended: 'Old token ended. Only the current token is valid.',
  key_revoked: 'Key revoked. Its next request will be rejected.',
  key_policy_updated: 'Key policy saved. It applies to every key from now on.',
  keys_revoked: 'Key revoked with the keys that were created with it.',
  endpoint_updated: 'Changes saved.',
  endpoint_enabled: 'Endpoint enabled. Paused deliveries are being sent.',
  endpoint_disabled: 'Endpoint disabled. Its deliveries are paused until you enable it.',
  endpoint_deleted: 'Endpoint deleted.',
  ping_sent: 'Test event queued.',
  redelivered: 'Event redelivered. This is the new delivery.',
  retry_due: 'Retry requested. The next attempt is due now.',
  recovery_cancelled: 'Recovery cancelled. Deliveries that it created are not undone.',
  password_changed: 'Password changed. Your other sessions have ended.',
  passkey_added: 'Passkey added. You can sign in with it from now on.',
  passkey_removed: 'Passkey removed. You can no longer sign in with it.',
  security_policy_updated: 'Security policy saved. It applies from the next request.',
  totp_removed: 'Two-factor authentication is off.',
  session_revoked: 'Session ended.',
  sessions_revoked: 'Your other sessions have ended.',
  notices_read: 'All notices are marked as read.',
  notifications_updated: 'Changes saved.',
  filter_saved: 'Filter saved. It is in the menu of saved filters.',
  filter_deleted: 'Saved filter deleted.',
  impersonation_ended: 'Impersonation ended.',
} as const

/** The name of one of {@link flashMessages}. */
export type FlashMessageName = keyof typeof flashMessages

/** Whether the text is the name of a message. */
export const isFlashMessage = (text: string | undefined): text is FlashMessageName =>
  text !== undefined && Object.hasOwn(flashMessages, text)

/** The name of the cookie with the message for the next page. */
export const flashMessageCookie = 'message'
