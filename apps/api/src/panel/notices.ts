/** What a page may say of what was just done. A cookie names one, so that no text comes from outside. */
export const notices = {
  signed_out: 'You are signed out.',
  confirmed: 'Thank you. You can go on now.',
  key_updated: 'The changes are saved. They hold from the next request on.',
  key_revoked: 'The key is revoked. Its next request is refused.',
  webhook_updated: 'The changes are saved.',
  webhook_enabled: 'The endpoint is enabled. Deliveries that waited are being sent.',
  webhook_disabled: 'The endpoint is disabled. Its deliveries wait until it is enabled.',
  webhook_deleted: 'The endpoint is deleted.',
  ping_sent: 'A test event is on its way.',
  redelivered: 'The event is being sent again, as this new delivery.',
  recovery_cancelled: 'The recovery does not go on. What was sent again stays so.',
  password_changed: 'Your password is changed, and your other sessions are ended.',
  totp_removed: 'Signing in takes your password alone now.',
  session_revoked: 'The session is ended.',
  sessions_revoked: 'Your other sessions are ended.',
  impersonation_ended: 'You act as yourself again.',
} as const

/** The name of one of {@link notices}. */
export type NoticeName = keyof typeof notices

/** Whether the text names a notice. */
export const isNotice = (text: string | undefined): text is NoticeName =>
  text !== undefined && Object.hasOwn(notices, text)
