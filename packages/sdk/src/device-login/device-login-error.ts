const messages = {
  refused: 'The login was refused.',
  expired: 'The code expired before the login was approved.',
} as const

/** A device login that ended without a key. */
export class DeviceLoginError extends Error {
  /** How it ended, for programs. */
  readonly reason: keyof typeof messages

  constructor(reason: keyof typeof messages) {
    super(messages[reason])
    this.name = 'DeviceLoginError'
    this.reason = reason
  }
}
