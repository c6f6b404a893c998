import { errorMediaType, problemsOf, type Route } from '@hosting/api'
import type { ProblemCode } from '@hosting/core/problems'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Response } from 'supertest'

const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
const compiled = new Map<object, ValidateFunction>()

/**
 * Checks a response against its route's schemas: a known status with a matching body, or a problem
 * document of the route or the listener. Also checks the headers that every response has.
 *
 * @param routes - the routes of the listener.
 * @throws Error if the response does not match.
 */
export function requireValidResponse(
  routes: readonly Route<never>[],
  { verb, path }: { verb: string; path: string },
  response: Response,
): void {
  requireHeaders(response)
  const route = (routes as readonly Route[]).find(
    (candidate) =>
      candidate.method === verb.toUpperCase() &&
      new RegExp(`^${candidate.path.replace(/:\w+/g, '[^/]+')}$`).test(path.split('?')[0]!),
  )
  if (response.status >= 400) {
    requireProblem(response, route)
    const { code } = response.body as { code: ProblemCode }
    if (route && !problemsOf(route).includes(code)) {
      throw new Error(`${verb} ${path} does not document that it gives ${code}`)
    }
    return
  }
  const documented = route?.returns.find(({ status }) => status === response.status)
  if (!documented) throw new Error(`${verb} ${path} has no documented response ${response.status}`)
  if (!documented.schema) return
  const validate = compiled.get(documented.schema) ?? ajv.compile(documented.schema)
  compiled.set(documented.schema, validate)
  if (!validate(response.body)) {
    throw new Error(
      `${verb} ${path} sent a response that violates its schema: ${ajv.errorsText(validate.errors)}`,
    )
  }
}

function requireHeaders({ headers }: Response): void {
  if (headers['cache-control'] !== 'no-store') throw new Error('a response may be cached')
  if (!headers['x-request-id']) throw new Error('a response has no request id')
}

function requireProblem({ status, body, headers }: Response, route: Route | undefined): void {
  const { type, title, detail, instance, code, request_id } = body as Record<string, unknown>
  const isPassedOn = route?.errorFormat === 'passed_on' && [401, 403, 429].includes(status)
  const whole =
    [title, detail, code, request_id].every((member) => typeof member === 'string') &&
    typeof instance === (isPassedOn ? 'undefined' : 'string')
  if (
    !whole ||
    type !== `/problems/${String(code)}` ||
    (body as { status: unknown }).status !== status
  ) {
    throw new Error(`not a problem document: ${JSON.stringify(body)}`)
  }
  if (headers['content-type'] !== errorMediaType(route?.errorFormat)) {
    throw new Error(`a problem was sent as ${headers['content-type']}`)
  }
}
