/** No answer came: the name is unknown, nobody listens, the connection broke, or it took too long. */
export class ConnectionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ConnectionError'
  }
}
