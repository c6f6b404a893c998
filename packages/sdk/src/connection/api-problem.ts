/** A field that the API rejected. */
export interface FieldError {
  /** A JSON Pointer (RFC 6901) into the body or the query. */
  readonly pointer: string
  readonly message: string
}

/** The fields of an {@link ApiProblem}. */
export interface ApiProblemFields {
  readonly code: string
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly requestId?: string | undefined
  readonly errors?: readonly FieldError[] | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly body?: unknown
}

/** Thrown for every response that is not successful. Its message is the problem's `detail`. */
export class ApiProblem extends Error {
  /**
   * The code of the problem document (`/docs/problems` of the service lists them), or one of two codes of this client.
   * `unexpected_answer`: the response is not from the API, such as a 502 with HTML, a redirect, or a 200 that
   * is not JSON. `secret_not_repeated`: the request succeeded, but the first response was lost and its secret
   * is not returned again; `body` has the record.
   */
  readonly code: string
  /** The HTTP status. */
  readonly status: number
  /** A short summary of the kind of problem. */
  readonly title: string
  /** What went wrong in this case, as a sentence. */
  readonly detail: string
  /** Identifies the request to the service's support. */
  readonly requestId: string | undefined
  /** For a 422: every rejected field. */
  readonly errors: readonly FieldError[]
  /** How long to wait before the next request, in seconds, if the response says so. */
  readonly retryAfterSeconds: number | undefined
  /** The parsed body of the response; if it is not JSON, its first 1,000 characters. */
  readonly body: unknown

  constructor(fields: ApiProblemFields) {
    super(fields.detail)
    this.name = 'ApiProblem'
    this.code = fields.code
    this.status = fields.status
    this.title = fields.title
    this.detail = fields.detail
    this.requestId = fields.requestId
    this.errors = fields.errors ?? []
    this.retryAfterSeconds = fields.retryAfterSeconds
    this.body = fields.body
  }
}
