import { ApiProblem, type FieldError } from './api-problem.ts'

/** A response whose body has been read. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Returns the parsed body of a successful response; `undefined` if the body is empty.
 *
 * @param conceal - removes the credential from the text of an error.
 * @throws ApiProblem for every other response.
 */
export function readBody(response: HttpResponse, conceal: (text: string) => string): unknown {
  const shown = (): HttpResponse => ({ ...response, text: conceal(response.text) })
  if (response.status < 200 || response.status > 299) throw toProblem(shown())
  if (response.text === '') return undefined
  const body = parseJson(response.text)
  if (body === undefined) throw unexpected(shown(), 'with a body that is not JSON')
  if (lacksSecret(response, body)) throw secretNotRepeated(response, body)
  return body
}

/** Converts a response that is not successful to an error. */
export function toProblem(response: HttpResponse): ApiProblem {
  const body = parseJson(response.text)
  if (!isProblemDocument(body)) return unexpected(response, 'without a problem document')
  const { code, title, detail, errors } = body
  const details = { code, title, detail: detail ?? title, errors, body }
  return new ApiProblem({ ...headerFieldsOf(response), ...details })
}

/** `Retry-After` in seconds: a number, or the time until a date (RFC 9110, section 10.2.3). */
export function retryAfterOf(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('Retry-After')?.trim()
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1_000))
}

const headerFieldsOf = ({ status, headers }: HttpResponse) => ({
  status,
  requestId: headers.get('X-Request-Id') ?? undefined,
  retryAfterSeconds: retryAfterOf(headers),
})

/** How much of a body that is not JSON an error keeps. */
const textLengthMax = 1_000

const unexpected = (response: HttpResponse, how: string): ApiProblem =>
  new ApiProblem({
    ...headerFieldsOf(response),
    code: 'unexpected_answer',
    title: 'Unexpected response',
    detail: `The server responded with ${response.status} ${how}. Check that the base URL is the URL of the API.`,
    body: response.text.slice(0, textLengthMax),
  })

/**
 * Members that the API returns once; in a response repeated for an Idempotency-Key they are null. The same as
 * `oneTimeMembers` of the service.
 */
export const oneTimeMembers = [
  'token',
  'secret',
  'otpauth_uri',
  'recovery_codes',
  'csrf_token',
] as const

function lacksSecret({ headers }: HttpResponse, body: unknown): boolean {
  if (headers.get('Idempotency-Replayed') !== 'true' || !isObject(body)) return false
  return oneTimeMembers.some(
    (name) => body[name] === null && !(name === 'token' && isOfWorkloadKey(body)),
  )
}

/** A workload key has no token of its own, so its `token` is null in the first response, too. */
const isOfWorkloadKey = ({ key }: Record<string, unknown>): boolean =>
  isObject(key) && isObject(key['workload'])

const secretNotRepeated = (response: HttpResponse, body: unknown): ApiProblem =>
  new ApiProblem({
    ...headerFieldsOf(response),
    code: 'secret_not_repeated',
    title: 'Secret not repeated',
    detail:
      'The request succeeded, but the first response, which contained the secret, was lost. The secret is not returned again. Rotate it, or create a new record.',
    body,
  })

interface ProblemDocument {
  readonly code: string
  readonly title: string
  readonly detail?: string
  readonly errors?: readonly FieldError[]
}

const isProblemDocument = (body: unknown): body is ProblemDocument =>
  isObject(body) && typeof body['code'] === 'string' && typeof body['title'] === 'string'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
