import { ApiProblem, type FieldFault } from './api-problem.ts'

/** An answer with its body read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Gives the body of a wanted answer, parsed; `undefined` of an empty one.
 *
 * @throws ApiProblem for every other answer.
 */
export function readAnswer(answer: Answer): unknown {
  if (answer.status < 200 || answer.status > 299) throw toProblem(answer)
  if (answer.text === '') return undefined
  const body = parseJson(answer.text)
  if (body === undefined) throw unexpected(answer, 'with a body that is not JSON')
  if (lacksSecret(answer, body)) throw secretNotRepeated(answer, body)
  return body
}

/** An answer that is not the wanted one, as an error. */
export function toProblem(answer: Answer): ApiProblem {
  const body = parseJson(answer.text)
  if (!isProblemDocument(body)) return unexpected(answer, 'without a problem document')
  const { code, title, detail, errors } = body
  return new ApiProblem({ ...factsOf(answer), code, title, detail: detail ?? title, errors, body })
}

/** `Retry-After` in seconds: a number, or the time until a date (RFC 9110, section 10.2.3). */
export function retryAfterOf(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('Retry-After')?.trim()
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1_000))
}

const factsOf = ({ status, headers }: Answer) => ({
  status,
  requestId: headers.get('X-Request-Id') ?? undefined,
  retryAfterSeconds: retryAfterOf(headers),
})

const textMax = 1_000

const unexpected = (answer: Answer, how: string): ApiProblem =>
  new ApiProblem({
    ...factsOf(answer),
    code: 'unexpected_answer',
    title: 'Unexpected answer',
    detail: `The server answered ${answer.status} ${how}: is this the address of the API?`,
    body: answer.text.slice(0, textMax),
  })

/** Members that an answer shows once: given again for an Idempotency-Key they are null. */
export const oneTimeMembers = [
  'token',
  'secret',
  'otpauth_uri',
  'recovery_codes',
  'csrf_token',
] as const

function lacksSecret({ headers }: Answer, body: unknown): boolean {
  if (headers.get('Idempotency-Replayed') !== 'true' || !isObject(body)) return false
  return oneTimeMembers.some((name) => body[name] === null)
}

const secretNotRepeated = (answer: Answer, body: unknown): ApiProblem =>
  new ApiProblem({
    ...factsOf(answer),
    code: 'secret_not_repeated',
    title: 'Secret not repeated',
    detail:
      'The work is done, but the answer with its secret was given before and was lost on the way: it is not shown twice. Rotate the secret, or make another.',
    body,
  })

interface ProblemDocument {
  readonly code: string
  readonly title: string
  readonly detail?: string
  readonly errors?: readonly FieldFault[]
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
