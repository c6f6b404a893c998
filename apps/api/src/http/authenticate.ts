import {
  budgetHeaders,
  currentTime,
  decideAccess,
  hashKeySecret,
  judgeKey,
  parseKeyToken,
  Problem,
  resetSeconds,
  type Budget,
  type ProblemCode,
} from '@hosting/core'
import type { AuditActor } from '@hosting/postgres'
import { readKeys, type Key } from '../gate/key-cache.ts'
import type { Services } from '../services.ts'
import { actorOf, callerName, type Caller, type KeyCaller, type SessionCaller } from './caller.ts'
import { isSessionOnly, permissionOf, type Route } from './route.ts'
import { setHeaders, type Arrival, type Gatekeeper } from './serve.ts'
import {
  findSession,
  findSessionAgain,
  refuseForgery,
  refuseOtherSites,
  refuseUnconfirmed,
} from './session.ts'

/** Who calls a route of the public API; nobody known where it needs no credentials. */
export type PublicCaller = Caller | undefined

/** The request that a key comes with. */
export interface KeyRequest {
  readonly authorization: string
  readonly ip: string
  /** The operation that is asked for. */
  readonly route: string
  readonly requestId: string
  /** Takes the headers that stand on the answer whatever it becomes. */
  setHeaders(headers: Readonly<Record<string, string>>): void
}

/** The gatekeeper of the public API. A request with a bearer header comes with a key, whatever its cookies. */
export function keepPublicGate(services: Services): Gatekeeper<PublicCaller> {
  return {
    async admit(arrival) {
      const { req, route } = arrival
      if (route.auth === 'none') return undefined
      const authorization = req.get('authorization')
      if (authorization !== undefined) return admitKey(services, arrival, authorization)
      if (route.auth !== 'sign_in') return admitSession(services, arrival)
      refuseOtherSites(services, req)
      return undefined
    },
    async judgeAgain(arrival, caller) {
      if (caller?.key) return judgeKeyAgain(services, arrival, caller)
      return caller && judgeSessionAgain(services, arrival)
    },
    async noteRefusal({ req, ip, route }, caller, problem) {
      if (!caller?.key || (problem.status !== 403 && problem.status !== 429)) return
      await noteRefusal(
        services,
        { ip, route: route.operation, requestId: req.id },
        { key: caller.key, problem },
      )
    },
    nameCaller: (caller) => caller && callerName(caller),
  }
}

async function admitKey(
  services: Services,
  { req, res, ip, route }: Arrival<PublicCaller>,
  authorization: string,
): Promise<KeyCaller> {
  const request: KeyRequest = {
    authorization,
    ip,
    route: route.operation,
    requestId: req.id,
    setHeaders: (headers) => setHeaders(res, headers),
  }
  const { key } = await authenticateKey(services, request)
  const refusal = refuseAccess(key, route, req.method)
  if (refusal) throw await noteRefusal(services, request, { key, problem: refusal })
  return { user: key.user, tenant: key.tenant, key, session: undefined }
}

async function admitSession(
  services: Services,
  { req, route }: Arrival<PublicCaller>,
): Promise<SessionCaller> {
  const caller = await findSession(services, req)
  if (!caller) throw credentialsMissing()
  if (route.method !== 'GET') {
    refuseForgery(services, req, { ...caller, shown: req.get('x-csrf-token') })
  }
  const refusal = refuseRole(caller, route, req.method)
  if (refusal) throw refusal
  if (route.confirmed) refuseUnconfirmed(caller)
  return caller
}

function refuseRole(
  { user }: SessionCaller,
  { auth }: Pick<Route, 'auth'>,
  method: string,
): Problem | undefined {
  const permission = permissionOf(auth)
  return permission && decideAccess({ roles: user.roles, key: null }, permission.name, method)
}

async function judgeKeyAgain(
  { database, serverSecret }: Services,
  { req, ip, route }: Arrival<PublicCaller>,
  { key: { id } }: KeyCaller,
): Promise<Problem | undefined> {
  const parts = parseKeyToken(bearerTokenOf(req.get('authorization') ?? '') ?? '')
  const key = (await readKeys(database, [id])).get(id)
  if (!parts || !key) return keyProblem('invalid_api_key')
  const hash = hashKeySecret(serverSecret, parts)
  const { refusal } = judgeKey(key, { hash, ip, now: currentTime() })
  return refusal ? keyProblem(refusal) : refuseAccess(key, route, req.method)
}

async function judgeSessionAgain(
  services: Services,
  { req, route }: Arrival<PublicCaller>,
): Promise<Problem | undefined> {
  const caller = await findSessionAgain(services, req)
  return caller ? refuseRole(caller, route, req.method) : credentialsMissing()
}

/** The 401 of a request without credentials. */
export const credentialsMissing = (): Problem =>
  new Problem('authentication_required', { headers: { 'WWW-Authenticate': 'Bearer' } })

/**
 * The key of an `Authorization` header, with one taken from its budget.
 *
 * @throws Problem 401 `invalid_api_key`, the same whether the key is malformed, unknown, expired or revoked,
 *   403 `api_key_ip_denied` or 429.
 */
export async function authenticateKey(
  services: Services,
  request: KeyRequest,
): Promise<{ key: Key; budget: Budget }> {
  const token = bearerTokenOf(request.authorization)
  const parts = token === undefined ? undefined : parseKeyToken(token)
  if (!parts) throw keyProblem('invalid_api_key')
  const { ip } = request
  const hash = hashKeySecret(services.serverSecret, parts)
  const { key, verdict, budget } = await services.keyGate({ keyId: parts.id, hash, ip })
  if (!key) throw keyProblem('invalid_api_key')
  if (verdict.proven) services.usage.count(key.id, ip)
  if (budget && verdict.refusal !== 'invalid_api_key') request.setHeaders(budgetHeaders(budget))
  const code = verdict.refusal ?? (budget?.admitted ? undefined : 'rate_limited')
  if (code === undefined) return { key, budget: budget! }
  throw await noteRefusal(services, request, {
    key,
    problem: keyProblem(code, budget),
    ...(!verdict.proven && { actor: anonymous }),
  })
}

const bearerTokenOf = (authorization: string): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1]

/** Whether the key may do what the route asks: the session-only routes first, then scope, then role. */
export function refuseAccess(
  key: Key,
  route: Pick<Route, 'auth' | 'sessionOnly'>,
  method: string,
): Problem | undefined {
  if (isSessionOnly(route)) return new Problem('api_key_not_allowed')
  const permission = permissionOf(route.auth)
  return permission && decideAccess({ roles: key.user.roles, key }, permission.name, method)
}

/** Writes a refusal of a known key to the audit log, and gives the problem to throw. */
export async function noteRefusal(
  { refusals }: Services,
  { ip, route, requestId }: Pick<KeyRequest, 'ip' | 'route' | 'requestId'>,
  {
    key,
    problem,
    actor = actorOf({ user: key.user, key }),
  }: { key: Key; problem: Problem; actor?: AuditActor },
): Promise<Problem> {
  await refusals.record({
    tenantId: key.tenant.id,
    keyId: key.id,
    actor,
    reason: problem.code,
    ip,
    route,
    requestId,
  })
  return problem
}

/** Nobody known. */
export const anonymous: AuditActor = { type: 'anonymous', id: null, name: null, keyId: null }

const keyProblem = (code: ProblemCode, budget?: Budget): Problem =>
  new Problem(code, {
    headers: {
      ...(code === 'invalid_api_key' && { 'WWW-Authenticate': 'Bearer error="invalid_token"' }),
      ...(code === 'rate_limited' && budget && { 'Retry-After': String(resetSeconds(budget)) }),
    },
  })
