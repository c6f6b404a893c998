import { problemCatalog, type ProblemCode } from './problems.ts'

/** An invalid member of a request. `pointer` is a JSON Pointer (RFC 6901) into the body or the query. */
export interface FieldError {
  readonly pointer: string
  readonly message: string
}

/** What a specific problem adds to its catalog entry. */
export interface ProblemFacts {
  /** Replace the `{name}` placeholders in the entry's `detail`. */
  readonly facts?: Readonly<Record<string, string>>
  /** Replaces the entry's `detail`. */
  readonly detail?: string
  /** The invalid members, for a 422. */
  readonly errors?: readonly FieldError[]
  /** Header fields of the response, for example `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** An expected error. Handlers throw it; the API converts it to a problem document (RFC 9457). */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly title: string
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, string>>
  /** As in {@link ProblemFacts}. */
  readonly facts: Readonly<Record<string, string>>

  constructor(code: ProblemCode, { facts = {}, detail, errors, headers = {} }: ProblemFacts = {}) {
    const entry = problemCatalog[code]
    super(
      detail ?? entry.detail.replace(/\{(\w+)\}/g, (place, name: string) => facts[name] ?? place),
    )
    this.name = 'Problem'
    this.code = code
    this.status = entry.status
    this.title = entry.title
    this.errors = errors
    this.headers = headers
    this.facts = facts
  }
}

/** The problem for records that do not exist, belong to another organization, or are not visible to the caller. */
export const notFound = (): Problem => new Problem('not_found')

/** How long a caller should wait if a part of the service is unavailable, in seconds. */
const retryAfterSeconds = '2'

/** The problem of a request that the service could not serve in time, and may be able to serve later. */
export const unavailable = (): Problem =>
  new Problem('service_unavailable', { headers: { 'Retry-After': retryAfterSeconds } })

/**
 * Creates a 409.
 *
 * @param reason - a sentence without a capital, such as `the endpoint is deleted.`
 */
export const conflict = (reason: string): Problem => new Problem('conflict', { facts: { reason } })

/** Creates a 429 for a caller that may try again after this time in ms. `Retry-After` has whole seconds. */
export const rateLimited = (waitMs: number): Problem =>
  new Problem('rate_limited', { headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) } })

/**
 * Creates a 422 that lists the invalid members.
 *
 * @param errors - at least one.
 */
export const validationFailed = (...errors: FieldError[]): Problem =>
  new Problem('validation_failed', { errors })

/**
 * Converts a problem to a problem document (RFC 9457).
 *
 * @param occurrence - `instance`: the path of the request, empty if it could not be parsed; without one, the document has
 *   none.
 */
export const problemDocument = (
  problem: Problem,
  { instance, requestId }: { instance?: string; requestId: string },
) => ({
  type: `/problems/${problem.code}`,
  title: problem.title,
  status: problem.status,
  detail: problem.message,
  ...(instance !== undefined && { instance }),
  code: problem.code,
  request_id: requestId,
  ...(problem.errors && { errors: problem.errors }),
})
