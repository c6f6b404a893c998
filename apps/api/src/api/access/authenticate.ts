import {
  hashesOfKeySecret,
  noSecretMatches,
  verifyKey,
  parseKeyToken,
  type KeyVerification,
} from '@hosting/core/api-keys'
import { currentTime } from '@hosting/core/clock'
import { deniedAddress, Problem, type ProblemCode } from '@hosting/core/problems'
import { budgetHeaders, resetSeconds, type Budget } from '@hosting/core/rate-limit'
import { type Transaction } from '@hosting/postgres/database'
import { lockKeyCaller } from '@hosting/postgres/sessions'
import { readKeys, toKey, type Key } from '../gate/key-gate.ts'
import { pendingUseOf, type PendingUse } from '../gate/usage-counter.ts'
import { requireRoomToHash } from '../passwords/password-hash.ts'
import type { Needs } from '../services.ts'
import {
  recordKeyRefusal,
  anonymous,
  callerName,
  readerOf,
  type Caller,
  type KeyCaller,
  type SessionCaller,
} from './caller.ts'
import { checkAccess, scopeNeededBy } from './check-access.ts'
import { AccessLost, type Arrival, type Authenticator } from './authenticator.ts'
import type { StatusCallback } from '../response.ts'
import {
  findSession,
  findSessionAgain,
  lockSession,
  requireCsrfToken,
  requireSameSite,
} from './session.ts'

/** The caller of a public API route; `undefined` if the route needs no credentials. */
export type PublicCaller = Caller | undefined

/** A request with a key. */
export interface KeyRequest {
  readonly authorization: string
  readonly ip: string
  /** The id of the requested route; `none` if no route serves the request. */
  readonly route: string
  /** The id of the operation that is counted; null if no route serves the request. */
  readonly operation: string | null
  readonly requestId: string
  /** Sets headers that are sent with any response. */
  setHeaders(headers: Readonly<Record<string, string>>): void
  /** Calls the callback with the status of the response. */
  onStatus(callback: StatusCallback): void
}

/** The authenticator of the public API. If a request has an `Authorization` header, its cookies are ignored. */
export function createPublicAuthenticator(
  services: Needs<
    'config' | 'database' | 'keyGate' | 'log' | 'refusals' | 'serverSecrets' | 'usage'
  >,
): Authenticator<PublicCaller> {
  return {
    async admit(arrival) {
      const { req, route } = arrival
      if (route.auth === 'none') return undefined
      const authorization = req.get('authorization')
      if (authorization !== undefined) return admitKey(services, arrival, authorization)
      if (route.auth === 'sign_in') return admitSignIn(services, arrival)
      const caller = await findSession(services, req)
      return admitSession(services, arrival, { caller, csrfToken: req.get('x-csrf-token') })
    },
    ...afterAdmission(services),
  }
}

/** The session of a request for a page of the panel, and the CSRF token of its form. */
export interface PanelCredentials {
  readonly caller: SessionCaller | undefined
  readonly csrfToken: string | undefined
}

/** The authenticator of the routes that a page of the panel calls on behalf of its visitor. */
export const createPanelAuthenticator = (
  services: Needs<'config' | 'database' | 'refusals' | 'serverSecrets'>,
  credentials: PanelCredentials,
): Authenticator<PublicCaller> => ({
  async admit(arrival) {
    const { auth } = arrival.route
    if (auth === 'none') return undefined
    if (auth === 'sign_in') return admitSignIn(services, arrival)
    return admitSession(services, arrival, credentials)
  },
  ...afterAdmission(services),
})

const afterAdmission = (
  services: Needs<'config' | 'database' | 'refusals' | 'serverSecrets'>,
): Omit<Authenticator<PublicCaller>, 'admit'> => ({
  async requireStillAdmitted(arrival, caller, tx) {
    if (!caller) return undefined
    return caller.key
      ? requireKeyStillAdmitted(services, { arrival, caller, tx })
      : requireSessionStillAdmitted(services, { arrival, caller, tx })
  },
  async recordRefusal(arrival, caller, problem) {
    if (!caller?.key || (problem.status !== 403 && problem.status !== 429)) return
    await recordKeyRefusal(services, originOf(arrival), { key: caller.key, problem })
  },
  async recordLoss(arrival, { key, problem }) {
    if (!key) return
    await recordKeyRefusal(services, originOf(arrival), {
      key: key.current,
      problem,
      ...(!key.secretMatches && { actor: anonymous }),
    })
  },
  nameCaller: (caller) => caller && callerName(caller),
  readerOf: (caller) => caller && readerOf(caller),
})

async function admitKey(
  services: Needs<'keyGate' | 'refusals' | 'serverSecrets' | 'usage'>,
  arrival: Arrival,
  authorization: string,
): Promise<KeyCaller> {
  const { req, route } = arrival
  const origin = originOf(arrival)
  const { key, verdict, use } = await authenticateKey(services, {
    ...origin,
    operation: route.operationId,
    authorization,
    setHeaders: (headers) => arrival.setHeaders(headers),
    onStatus: (callback) => arrival.onStatus(callback),
  })
  const caller = callerOf(key, verdict)
  const problem = checkAccess(caller, route, req.method)
  if (problem) {
    await recordKeyRefusal(services, origin, { key, problem })
    throw problem
  }
  use.scope = scopeNeededBy(route, req.method)
  return caller
}

/** A sign-in has no credentials yet. It must not come from another site, and needs capacity to hash the password. */
function admitSignIn(services: Needs<'config'>, { req }: Arrival): undefined {
  requireSameSite(services, req)
  requireRoomToHash()
}

function admitSession(
  services: Needs<'config'>,
  { req, route }: Arrival,
  { caller, csrfToken }: PanelCredentials,
): SessionCaller {
  if (!caller) throw credentialsMissing()
  if (route.method !== 'GET') requireCsrfToken(services, req, { ...caller, shown: csrfToken })
  const problem = checkAccess(caller, route, route.method)
  if (problem) throw problem
  return caller
}

/** An admitted caller that is checked again; if there is a transaction, with its rows locked. */
interface Readmission<By extends Caller> {
  readonly arrival: Arrival
  readonly caller: By
  readonly tx: Transaction | undefined
}

async function requireKeyStillAdmitted(
  services: Needs<'database' | 'serverSecrets'>,
  { arrival, caller, tx }: Readmission<KeyCaller>,
): Promise<KeyCaller> {
  const found = tx
    ? await lockKey(tx, caller)
    : {
        key: (await readKeys(services.database, [caller.key.id])).get(caller.key.id),
        now: currentTime(),
      }
  if (!found?.key) throw new AccessLost(keyProblem('invalid_api_key', arrival))
  const { key, now } = found
  const { problem, verdict } = checkKey(services, arrival, { key, now })
  if (!problem) return callerOf(key, verdict)
  throw new AccessLost(problem, { current: key, secretMatches: verdict.secretMatches })
}

async function lockKey(
  tx: Transaction,
  { key, user }: KeyCaller,
): Promise<{ key: Key; now: Date } | undefined> {
  const found = await lockKeyCaller(tx, { keyId: key.id, userId: user.id })
  return found && { key: toKey(found.record), now: found.now }
}

async function requireSessionStillAdmitted(
  services: Needs<'config' | 'database' | 'serverSecrets'>,
  { arrival: { req, route }, caller, tx }: Readmission<SessionCaller>,
): Promise<SessionCaller> {
  const current = tx
    ? await lockSession(services, tx, { headers: req, caller })
    : await findSessionAgain(services, req)
  if (!current) throw new AccessLost(credentialsMissing())
  const problem = checkAccess(current, route, route.method)
  if (problem) throw new AccessLost(problem)
  return current
}

/** Checks a key that was read again: the secret of the request, then everything that {@link admitKey} checks. */
function checkKey(
  { serverSecrets }: Needs<'serverSecrets'>,
  { req, ip, route }: Arrival,
  { key, now }: { key: Key; now: Date },
): { verdict: KeyVerification; problem: Problem | undefined } {
  const parts = parseKeyToken(bearerTokenOf(req.get('authorization') ?? '') ?? '')
  const verdict = parts
    ? verifyKey(key, { hashes: hashesOfKeySecret(serverSecrets, parts), ip, now })
    : noSecretMatches
  const { refusal } = verdict
  const problem = refusal
    ? keyProblem(refusal, { ip })
    : checkAccess(callerOf(key, verdict), route, req.method)
  return { verdict, problem }
}

/** The expiry of an exchanged token takes the place of its key's, so that it creates nothing that lives longer. */
const callerOf = (key: Key, { lineageId, secretExpiresAt }: KeyVerification): KeyCaller => ({
  user: key.user,
  tenant: key.tenant,
  key: key.source === 'workload' ? { ...key, expiresAt: secretExpiresAt } : key,
  lineageId,
  session: undefined,
})

const originOf = ({ req, ip, route }: Arrival) => ({
  ip,
  route: route.operationId,
  requestId: req.id,
})

/** The 401 of a request without credentials. */
export const credentialsMissing = (): Problem =>
  new Problem('authentication_required', { headers: { 'WWW-Authenticate': 'Bearer' } })

/**
 * Authenticates the key of an `Authorization` header and charges its rate limit.
 *
 * @throws Problem 401 `invalid_api_key`, the same whether the key is malformed, unknown, expired or revoked,
 *   403 `api_key_ip_denied` or 429.
 */
export async function authenticateKey(
  services: Needs<'keyGate' | 'refusals' | 'serverSecrets' | 'usage'>,
  request: KeyRequest,
): Promise<{ key: Key; verdict: KeyVerification; budget: Budget; use: PendingUse }> {
  const token = bearerTokenOf(request.authorization)
  const parts = token === undefined ? undefined : parseKeyToken(token)
  const { ip } = request
  if (!parts) throw keyProblem('invalid_api_key', { ip })
  const hashes = hashesOfKeySecret(services.serverSecrets, parts)
  const { key, verdict, budget } = await services.keyGate({ keyId: parts.id, hashes, ip })
  if (!key) throw keyProblem('invalid_api_key', { ip })
  const use = pendingUseOf(key, verdict, request)
  if (verdict.secretMatches) request.onStatus((status) => services.usage.count(use, status))
  if (budget && verdict.refusal !== 'invalid_api_key') request.setHeaders(budgetHeaders(budget))
  const code = verdict.refusal ?? (budget?.admitted ? undefined : 'rate_limited')
  if (code === undefined) return { key, verdict, budget: budget!, use }
  const problem = keyProblem(code, { ip, budget })
  await recordKeyRefusal(services, request, {
    key,
    problem,
    ...(!verdict.secretMatches && { actor: anonymous }),
  })
  throw problem
}

const bearerTokenOf = (authorization: string): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1]

const keyProblem = (
  code: ProblemCode,
  { ip, budget }: { ip: string; budget?: Budget | undefined },
): Problem =>
  new Problem(code, {
    ...(code === 'api_key_ip_denied' && { detail: deniedAddress(ip) }),
    headers: {
      ...(code === 'invalid_api_key' && { 'WWW-Authenticate': 'Bearer error="invalid_token"' }),
      ...(code === 'rate_limited' && budget && { 'Retry-After': String(resetSeconds(budget)) }),
    },
  })
