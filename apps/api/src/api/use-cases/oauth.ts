import { currentTimeMs } from '@hosting/core/clock'
import { readClientName } from '@hosting/core/device-login'
import { deviceCodeGrant, readRequestedScopes, tokenExchangeGrant } from '@hosting/core/oauth'
import { Problem } from '@hosting/core/problems'
import type { Scope } from '@hosting/core/scopes'
import { inWork, type Work } from '../work.ts'
import type { Needs } from '../services.ts'
import { pollDeviceLogin, startDeviceLogin } from './device-login.ts'
import {
  findClientId,
  findMember,
  invalidRequest,
  readClientId,
  readMember,
  requireGrantType,
} from './oauth-members.ts'
import { revokeByToken } from './revoke-by-token.ts'
import { exchangeToken } from './token-exchange.ts'
import { verifyExchange } from './verify-exchange.ts'

// The OAuth endpoints: they read the requests of standard clients and call the use cases of the API's own endpoints.

/** A request of an OAuth client. */
export interface OAuthRequest {
  readonly body: unknown
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  readonly ip: string
  readonly requestId: string
}

/**
 * Starts a device login (RFC 8628, section 3.1).
 *
 * @throws Problem `invalid_request`, `invalid_client`, `invalid_scope` or `rate_limited`.
 */
export async function authorizeDevice(
  services: Needs<'config' | 'serverSecret'>,
  request: OAuthRequest & { readonly userAgent: string; readonly work: Work },
) {
  const { ip, userAgent, work } = request
  const clientId = readClient(request)
  const requestedScopes = readScopes(findMember(request.body, 'scope'))
  const start = { clientName: clientId, clientId, requestedScopes, ip, userAgent, work }
  return startDeviceLogin(services, start)
}

/**
 * Issues a token for a device login (RFC 8628, section 3.4) or an identity token (RFC 8693).
 *
 * @throws Problem
 */
export async function issueToken(
  services: Needs<
    | 'config'
    | 'database'
    | 'gate'
    | 'issuerKeys'
    | 'keyChanges'
    | 'log'
    | 'metrics'
    | 'serverSecret'
  >,
  request: OAuthRequest,
) {
  const { body, authorization } = request
  findClientId(body, authorization)
  const grantType = readMember(body, 'grant_type')
  requireGrantType(grantType, [deviceCodeGrant, tokenExchangeGrant])
  return grantType === tokenExchangeGrant
    ? exchangeIdentityToken(services, request)
    : redeemDeviceCode(services, request)
}

async function redeemDeviceCode(
  services: Needs<'config' | 'database' | 'log' | 'serverSecret'>,
  request: OAuthRequest,
) {
  const clientId = readClient(request)
  const deviceCode = readMember(request.body, 'device_code')
  const { ip, requestId } = request
  const { token, ...created } = await pollDeviceLogin(services, {
    deviceCode,
    clientId,
    ip,
    requestId,
  })
  const { expires_at, scopes } = created.key
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: Math.floor((expires_at!.getTime() - currentTimeMs()) / 1_000),
    scope: scopes.join(' '),
    ...created,
  }
}

async function exchangeIdentityToken(
  services: Needs<
    | 'config'
    | 'database'
    | 'gate'
    | 'issuerKeys'
    | 'keyChanges'
    | 'log'
    | 'metrics'
    | 'serverSecret'
  >,
  { body, ip, requestId }: OAuthRequest,
) {
  const verification = await verifyExchange(services, body, ip)
  return inWork(services.database, services.log, (work) =>
    exchangeToken(services, verification, { ip, requestId, work }),
  )
}

/**
 * Revokes the key of a token (RFC 7009).
 *
 * @throws Problem `invalid_request`, `invalid_client` or `rate_limited`.
 */
export async function revokeToken(
  services: Needs<'database' | 'gate' | 'keyChanges' | 'log' | 'refusals' | 'serverSecrets'>,
  { body, authorization, ip, requestId, work }: OAuthRequest & { readonly work: Work },
): Promise<void> {
  findClientId(body, authorization)
  await revokeByToken(services, { token: readMember(body, 'token'), ip, requestId, work })
}

/** Reads the client, whose id is its name. @throws Problem `invalid_client` or `invalid_request` */
function readClient({ body, authorization }: OAuthRequest): string {
  const parsed = readClientName(readClientId(body, authorization))
  if ('error' in parsed) throw invalidRequest(`\`client_id\` ${parsed.error}.`)
  return parsed.name
}

/** @throws Problem `invalid_scope` */
function readScopes(text: string | undefined): readonly Scope[] | null {
  const requested = readRequestedScopes(text ?? '')
  if ('scopes' in requested) return requested.scopes
  const scope = JSON.stringify(requested.unknown.slice(0, shownLengthMax))
  throw new Problem('invalid_scope', { facts: { scope } })
}

/** The maximum length of an unknown scope in a problem. The longest known one has 19 characters. */
const shownLengthMax = 40
