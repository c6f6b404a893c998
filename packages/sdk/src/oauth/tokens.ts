import type { ResponseOf } from '../api-types.ts'
import type { Client } from '../client.ts'
import { tryOAuth } from './try-oauth.ts'

/** The result of a token exchange. */
export type ExchangedToken = ResponseOf<'/auth/token', 'post'>

/**
 * Exchanges an identity token of a CI job or a machine for a short-lived token of a workload key (RFC 8693).
 *
 * @param identityToken - a JWT whose audience is that of the key.
 * @throws ApiProblem, with the code `invalid_grant` if the identity token is refused.
 */
export function exchangeToken(
  client: Pick<Client, 'POST' | 'oauth'>,
  identityToken: string,
): Promise<ExchangedToken> {
  const body = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: identityToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  } as const
  return tryOAuth(
    () => client.oauth('/token', body) as Promise<ExchangedToken>,
    () => client.POST('/auth/token', { body }),
  )
}

/**
 * Revokes a key with its token (RFC 7009). Of a workload key, only the token ends. Unknown tokens are ignored.
 *
 * @throws ApiProblem, with the code `rate_limited` after too many revocations from this address.
 */
export async function revokeToken(
  client: Pick<Client, 'POST' | 'oauth'>,
  token: string,
): Promise<void> {
  await tryOAuth<unknown>(
    () => client.oauth('/revoke', { token }),
    () => client.POST('/auth/revoke', { body: { token } }),
  )
}
