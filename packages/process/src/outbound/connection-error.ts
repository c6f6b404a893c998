import type { ErrorClass } from '@hosting/core/webhooks'

/** A connection that the guard refused, or a name that did not resolve, with its error class. */
export class ConnectionError extends Error {
  readonly errorClass: ErrorClass
  readonly code: string

  constructor(errorClass: ErrorClass, message: string) {
    super(message)
    this.name = 'ConnectionError'
    this.errorClass = errorClass
    this.code = `E_${errorClass.toUpperCase()}`
  }
}

/** The lookup of a name timed out. */
export class LookupTimeout extends ConnectionError {
  constructor(host: string) {
    super('dns_error', `The lookup of ${host} timed out.`)
  }
}
