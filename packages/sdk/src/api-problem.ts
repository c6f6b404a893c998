/** Where a request was at fault: a JSON Pointer (RFC 6901) into its body or query. */
export interface FieldFault {
  readonly pointer: string
  readonly message: string
}

/** What an {@link ApiProblem} says. */
export interface ProblemFacts {
  readonly code: string
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly requestId?: string | undefined
  readonly errors?: readonly FieldFault[] | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly body?: unknown
}

/** Every answer that is not the one that was asked for. Its message is the problem's `detail`. */
export class ApiProblem extends Error {
  /**
   * The code of the problem document (docs/problems.md). Besides: `unexpected_answer`, of something between
   * that is not the API, such as a 502 with HTML, a redirect, or a 200 that is no JSON; and
   * `secret_not_repeated`: the first answer was lost on the way, and the secret in it is not shown twice. The
   * work is done then, and `body` has the record.
   */
  readonly code: string
  /** The HTTP status. */
  readonly status: number
  /** What kind of problem it is, in a few words. */
  readonly title: string
  /** What went wrong this time, as a sentence. */
  readonly detail: string
  /** Names the request, for the service's support. */
  readonly requestId: string | undefined
  /** Of a 422: every member at fault. */
  readonly errors: readonly FieldFault[]
  /** How long to wait, in seconds, where the answer says it. */
  readonly retryAfterSeconds: number | undefined
  /** The answer's body, parsed; of what is no JSON the first 1,000 characters. */
  readonly body: unknown

  constructor(facts: ProblemFacts) {
    super(facts.detail)
    this.name = 'ApiProblem'
    this.code = facts.code
    this.status = facts.status
    this.title = facts.title
    this.detail = facts.detail
    this.requestId = facts.requestId
    this.errors = facts.errors ?? []
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.body = facts.body
  }
}
