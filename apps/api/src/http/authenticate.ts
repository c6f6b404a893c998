import {
  budgetHeaders,
  decideAccess,
  hashKeySecret,
  parseKeyToken,
  Problem,
  resetSeconds,
  type Budget,
  type ProblemCode,
} from '@hosting/core'
import type { AuditActor } from '@hosting/postgres'
import type { Key } from '../gate/key-cache.ts'
import type { Services } from '../services.ts'
import { permissionOf, type Auth } from './route.ts'
import { setHeaders, type Gatekeeper } from './serve.ts'

/** Who calls the API: the acting user of a key, and the key. */
export type Principal = Key

/** The request that a key comes with. */
export interface KeyRequest {
  readonly authorization: string | undefined
  readonly ip: string
  /** The operation that is asked for. */
  readonly route: string
  readonly requestId: string
  /** Takes the headers that stand on the answer whatever it becomes. */
  setHeaders(headers: Readonly<Record<string, string>>): void
}

/** The gatekeeper of the public API. */
export function keepPublicGate(services: Services): Gatekeeper<Principal> {
  return {
    async admit({ req, res, ip, route }) {
      if (route.auth === 'none') return undefined as never
      const request: KeyRequest = {
        authorization: req.get('authorization'),
        ip,
        route: route.operation,
        requestId: req.id,
        setHeaders: (headers) => setHeaders(res, headers),
      }
      const { key } = await authenticateKey(services, request)
      const refusal = refuseAccess(key, route.auth, req.method)
      if (refusal) throw await noteRefusal(services, request, { key, problem: refusal })
      return key
    },
    async noteRefusal({ req, ip, route }, key, problem) {
      if (!key || (problem.status !== 403 && problem.status !== 429)) return
      await noteRefusal(
        services,
        { ip, route: route.operation, requestId: req.id },
        { key, problem },
      )
    },
    nameCaller: (key) => key && `key:${key.id}`,
  }
}

/**
 * The key of an `Authorization` header, with one taken from its budget.
 *
 * @throws Problem 401 (`authentication_required` without credentials, else `invalid_api_key`, the same
 *   whether the key is malformed, unknown, expired or revoked), 403 `api_key_ip_denied` or 429.
 */
export async function authenticateKey(
  services: Services,
  request: KeyRequest,
): Promise<{ key: Principal; budget: Budget }> {
  if (request.authorization === undefined) {
    throw new Problem('authentication_required', { headers: { 'WWW-Authenticate': 'Bearer' } })
  }
  const token = /^Bearer +(\S+) *$/i.exec(request.authorization)?.[1]
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

/** Whether the key may do what the route asks: the session-only routes first, then scope, then role. */
export function refuseAccess(key: Principal, auth: Auth, method: string): Problem | undefined {
  if (auth === 'any') return undefined
  const permission = permissionOf(auth)
  if (!permission || permission.sessionOnly) return new Problem('api_key_not_allowed')
  return decideAccess({ roles: key.user.roles, key }, permission.name, method)
}

/** Writes a refusal of a known key to the audit log, and gives the problem to throw. */
export async function noteRefusal(
  { refusals }: Services,
  { ip, route, requestId }: Pick<KeyRequest, 'ip' | 'route' | 'requestId'>,
  { key, problem, actor = actorOf(key) }: { key: Principal; problem: Problem; actor?: AuditActor },
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

/** The principal as the audit log names it. */
export const actorOf = ({ id, user }: Principal): AuditActor => ({
  type: user.kind === 'service' ? 'service_user' : 'user',
  id: user.id,
  name: user.name,
  keyId: id,
})

const anonymous: AuditActor = { type: 'anonymous', id: null, name: null, keyId: null }

const keyProblem = (code: ProblemCode, budget?: Budget): Problem =>
  new Problem(code, {
    headers: {
      ...(code === 'invalid_api_key' && { 'WWW-Authenticate': 'Bearer error="invalid_token"' }),
      ...(code === 'rate_limited' && budget && { 'Retry-After': String(resetSeconds(budget)) }),
    },
  })
