const messages = {
  refused: 'The login was denied.',
  expired: 'The code expired before the login was approved.',
} as const

/** Thrown if a device login ends without a key. */
export class DeviceLoginError extends Error {
  /** How the login ended. */
  readonly reason: keyof typeof messages

  constructor(reason: keyof typeof messages) {
    super(messages[reason])
    this.name = 'DeviceLoginError'
    this.reason = reason
  }
}
