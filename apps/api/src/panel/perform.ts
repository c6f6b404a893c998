import { decideAccess, notFound, Problem } from '@hosting/core'
import type { PublicCaller } from '../http/authenticate.ts'
import { Answer, permissionOf, type HandlerRequest, type Route } from '../http/route.ts'
import { refuseUnconfirmed } from '../http/session.ts'
import { bodyValidator, refuseFaults, textValidator, type Validator } from '../http/validation.ts'
import { inWork, type Work } from '../http/work.ts'
import type { Services } from '../services.ts'
import type { CallInput } from './page.ts'

/** The request that a page makes of a route, besides the values. */
export type PanelRequest = Pick<
  HandlerRequest<PublicCaller>,
  'caller' | 'ip' | 'userAgent' | 'cookie' | 'requestId' | 'setHeaders'
>

/**
 * Does what a route of the API does, for a page: the same guard, the same schemas, the same operation in
 * the same transaction. What remains of a request, its session and its CSRF token, the panel has checked.
 *
 * @throws Problem as the route gives it.
 */
export async function perform(
  services: Services,
  route: Route<PublicCaller>,
  { request, input }: { request: PanelRequest; input: CallInput },
): Promise<unknown> {
  refuseCaller(route, request.caller)
  if (route.needsSecretsStore && !services.secrets) throw new Problem('webhooks_unavailable')
  const check = validatorsOf(route)
  const params = { ...input.params }
  if (check.params && check.params(params).length > 0) throw notFound()
  const query = definedOf(input.query)
  if (check.query) refuseFaults(check.query(query))
  const body = input.body && definedOf(input.body)
  if (check.body) refuseFaults(check.body(body))
  const run = async (work?: Work): Promise<unknown> => {
    const given = { ...request, params, query, body, work: work!, judgeAgain: staysAdmitted }
    const result = await route.handle(given, services)
    if (!(result instanceof Answer)) return result
    request.setHeaders(result.headers)
    return result.body
  }
  return route.changes ? inWork(services.database, services.log, run) : run()
}

/** No operation of the panel goes on after its page. */
const staysAdmitted = () => Promise.resolve(undefined)

function refuseCaller(route: Route<PublicCaller>, caller: PublicCaller): void {
  const { auth, method, confirmed } = route
  if (auth === 'none' || auth === 'sign_in') return
  if (!caller?.session) throw new Problem('authentication_required')
  const permission = permissionOf(auth)
  const { roles } = caller.user
  const refusal = permission && decideAccess({ roles, key: null }, permission.name, method)
  if (refusal) throw refusal
  if (confirmed) refuseUnconfirmed(caller)
}

interface Validators {
  readonly params: Validator | undefined
  readonly query: Validator | undefined
  readonly body: Validator | undefined
}

/** A schema is compiled once. */
const compiled = new WeakMap<object, Validators>()

function validatorsOf(route: Route<PublicCaller>): Validators {
  const known = compiled.get(route)
  if (known) return known
  const { params, query, body } = route
  const validators = {
    params: params && textValidator(params),
    query: query && textValidator(query),
    body: body && bodyValidator(body),
  }
  compiled.set(route, validators)
  return validators
}

const definedOf = (values: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
