const messages = {
  refused: 'The login was denied.',
  expired: 'The code expired before the login was approved.',
} as const

/** Thrown if a device login ends without a key. */
export class DeviceLoginError extends Error {
  /** How the login ended. */
  readonly reason: keyof typeof messages

  /** `detail`: what the service says, such as the policy of the organization that does not allow the login. */
  constructor(reason: keyof typeof messages, detail: string = messages[reason]) {
    super(detail)
    this.name = 'DeviceLoginError'
    this.reason = reason
  }
}
