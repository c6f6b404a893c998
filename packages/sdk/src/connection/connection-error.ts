/** Thrown if there is no response: the host name is unknown, the connection was refused or broke, or the request timed out. */
export class ConnectionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ConnectionError'
  }
}
