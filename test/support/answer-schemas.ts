import { publicRoutes } from '@hosting/api'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Response } from 'supertest'

const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
const compiled = new Map<object, ValidateFunction>()

/**
 * Checks an answer against what its route says it may be: a known status with a body that fits, or a
 * problem document that the route or the listener can give.
 *
 * @throws Error if it does not fit.
 */
export function checkAnswer(verb: string, path: string, response: Response): void {
  if (response.status >= 400) {
    checkProblem(response)
    return
  }
  const route = publicRoutes.find(
    (candidate) =>
      candidate.method === verb.toUpperCase() &&
      new RegExp(`^${candidate.path.replace(/:\w+/g, '[^/]+')}$`).test(path.split('?')[0]!),
  )
  const answer = route?.answers[response.status]
  if (!answer) throw new Error(`${verb} ${path} has no documented answer ${response.status}`)
  if (!answer.schema) return
  const validate = compiled.get(answer.schema) ?? ajv.compile(answer.schema)
  compiled.set(answer.schema, validate)
  if (!validate(response.body)) {
    throw new Error(
      `${verb} ${path} answered what its schema denies: ${ajv.errorsText(validate.errors)}`,
    )
  }
}

function checkProblem({ status, body, headers }: Response): void {
  const { type, title, detail, instance, code, request_id } = body as Record<string, unknown>
  const whole = [title, detail, instance, code, request_id].every(
    (member) => typeof member === 'string',
  )
  if (
    !whole ||
    type !== `/problems/${String(code)}` ||
    (body as { status: unknown }).status !== status
  ) {
    throw new Error(`not a problem document: ${JSON.stringify(body)}`)
  }
  if (!String(headers['content-type']).startsWith('application/problem+json')) {
    throw new Error(`a problem was sent as ${headers['content-type']}`)
  }
}
