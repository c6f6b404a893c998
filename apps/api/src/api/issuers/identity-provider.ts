import { currentTimeMs } from '@hosting/core/clock'
import { publicUrlOf, type Config, type Secret } from '@hosting/core/configuration'
import { createFetch, tlsFailureOf } from '@hosting/process'
import * as openid from 'openid-client'

/** The path at which the provider returns the browser. */
export const callbackPath = '/sign-in/oidc/callback'

/** One sign-in at the provider, from the redirect to the callback. The browser keeps it in an encrypted cookie. */
export interface ProviderFlow {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** Whether a signed-in person confirms their identity. */
  readonly isStepUp: boolean
  /** In ms since 1970. */
  readonly startedAtMs: number
}

/** What the provider says about a person. */
export interface Identity {
  /** The email address, if the provider has verified it. */
  readonly verifiedEmail: string | undefined
  /** The value of `OIDC_USER_CLAIM`. */
  readonly userId: string | undefined
  /** When the person authenticated at the provider; `undefined` if the provider does not say. */
  readonly authenticatedAt: Date | undefined
}

interface ProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Secret<string> | undefined
  readonly userClaim: string | undefined
  readonly publicUrl: string
  /** How long ago a person may have authenticated at the provider to sign in here, in ms. */
  readonly sessionLifetimeMs: number
}

/** How long the provider's metadata is cached, in ms. */
const metadataMs = 5 * 60_000
/** Time limit of a request to the provider, in seconds. */
const timeoutSeconds = 5
/** The largest body of a response of the provider, in bytes. */
const bodyBytesMax = 1_024 * 1_024
const fetch = createFetch({ bytesMax: bodyBytesMax })
/** How far the provider's clock may differ, in seconds. */
const clockToleranceSeconds = 30

/**
 * The company's OpenID Connect provider (authorization code with PKCE, state and nonce). It is contacted only when
 * somebody signs in with it, so a provider that is down blocks neither the start nor other sign-ins.
 */
export class IdentityProvider {
  readonly #options: ProviderOptions
  #metadata: { readonly read: Promise<openid.ServerMetadata>; readonly until: number } | undefined

  constructor(options: ProviderOptions) {
    this.#options = options
  }

  /** Starts a sign-in. Returns the URL that the browser is redirected to. */
  async start(isStepUp: boolean): Promise<{ url: string; flow: ProviderFlow }> {
    const config = await this.#configure()
    const codeVerifier = openid.randomPKCECodeVerifier()
    const flow = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      codeVerifier,
      isStepUp,
      startedAtMs: currentTimeMs(),
    }
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: this.#options.publicUrl + callbackPath,
      scope: 'openid email',
      response_type: 'code',
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
      // A provider that is asked for a `max_age` says when the person authenticated (OpenID Connect Core, section 2).
      ...(isStepUp
        ? { prompt: 'login', max_age: '0' }
        : { max_age: String(Math.ceil(this.#options.sessionLifetimeMs / 1_000)) }),
    })
    return { url: url.href, flow }
  }

  /**
   * Exchanges the code of the callback, and verifies issuer, state, nonce and the signature of the ID token. For a
   * step-up, the person must have authenticated since its start.
   *
   * @param query - the query of the callback.
   * @throws Error if the response is refused or the provider cannot be reached.
   */
  async finish(query: string, flow: ProviderFlow): Promise<Identity> {
    const config = await this.#configure()
    const callback = new URL(this.#options.publicUrl + callbackPath)
    callback.search = query
    const now = currentTimeMs()
    const tokens = await openid.authorizationCodeGrant(config, callback, {
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      pkceCodeVerifier: flow.codeVerifier,
      idTokenExpected: true,
      ...(flow.isStepUp && { maxAge: Math.ceil((now - flow.startedAtMs) / 1_000) }),
    })
    return this.#identify(config, tokens)
  }

  /** The URL at which the person signs out of the provider; `undefined` if it has none. */
  async findSignOutUrl(): Promise<string | undefined> {
    const config = await this.#configure()
    if (config.serverMetadata().end_session_endpoint === undefined) return undefined
    const post_logout_redirect_uri = `${this.#options.publicUrl}/sign-in`
    return openid.buildEndSessionUrl(config, { post_logout_redirect_uri }).href
  }

  /** Reads the claims of the ID token, and those of userinfo if the ID token does not have them. */
  async #identify(
    config: openid.Configuration,
    tokens: Awaited<ReturnType<typeof openid.authorizationCodeGrant>>,
  ): Promise<Identity> {
    const { userClaim } = this.#options
    const claims = tokens.claims()!
    const names = userClaim === undefined ? ['email', 'email_verified'] : [userClaim]
    const isComplete = names.every((name) => claims[name] !== undefined)
    const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined
    const source =
      isComplete || !hasUserInfo
        ? claims
        : await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
    const { email, email_verified: isVerified } = source
    const userId = userClaim === undefined ? undefined : source[userClaim]
    if (typeof email === 'string' && email.includes('\0')) throw new InvalidClaim()
    return {
      verifiedEmail: typeof email === 'string' && isVerified === true ? email : undefined,
      userId: typeof userId === 'string' ? userId : undefined,
      authenticatedAt: toPast(claims.auth_time),
    }
  }

  /** A configuration for one sign-in. It caches no signing keys, so that the provider can rotate them at any time. */
  async #configure(): Promise<openid.Configuration> {
    const { clientId, clientSecret } = this.#options
    const metadata = await this.#readMetadata()
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const secret = clientSecret?.reveal()
    const authentication =
      secret === undefined
        ? openid.None()
        : methods.includes('client_secret_basic')
          ? openid.ClientSecretBasic(secret)
          : openid.ClientSecretPost(secret)
    const options = { [openid.clockTolerance]: clockToleranceSeconds }
    const config = new openid.Configuration({ ...metadata }, clientId, options, authentication)
    config.timeout = timeoutSeconds
    config[openid.customFetch] = fetch
    openid.enableNonRepudiationChecks(config)
    if (this.#isPlain) openid.allowInsecureRequests(config)
    return config
  }

  #readMetadata(): Promise<openid.ServerMetadata> {
    const now = currentTimeMs()
    if (this.#metadata && this.#metadata.until > now) return this.#metadata.read
    const read = this.#discover()
    this.#metadata = { read, until: now + metadataMs }
    // A failure is not kept: the next sign-in tries again.
    read.catch(() => (this.#metadata = undefined))
    return read
  }

  async #discover(): Promise<openid.ServerMetadata> {
    const { issuer, clientId } = this.#options
    const config = await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), {
      timeout: timeoutSeconds,
      [openid.customFetch]: fetch,
      ...(this.#isPlain && { execute: [openid.allowInsecureRequests] }),
    })
    return config.serverMetadata()
  }

  get #isPlain(): boolean {
    return this.#options.issuer.startsWith('http:')
  }
}

/** A claim contains U+0000, which PostgreSQL rejects. */
class InvalidClaim extends Error {
  override readonly name = 'InvalidClaim'
}

/** A time of the provider, in seconds since 1970. It is at most now, because the provider's clock may be ahead. */
const toPast = (seconds: number | undefined): Date | undefined =>
  seconds === undefined ? undefined : new Date(Math.min(seconds * 1_000, currentTimeMs()))

/** The configured identity provider; `undefined` if there is none. */
export function identityProviderOf(config: Config): IdentityProvider | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config
  if (issuer === undefined || clientId === undefined) return undefined
  const { oidcClientSecret: clientSecret, oidcUserClaim: userClaim } = config
  const publicUrl = publicUrlOf(config)
  const { sessionLifetimeMs } = config
  const client = { clientId, clientSecret, publicUrl }
  return new IdentityProvider({ issuer, userClaim, sessionLifetimeMs, ...client })
}

/** Why a sign-in at the provider failed, for the log and the person. The error itself may contain secrets. */
export function describeProviderError(error: unknown): {
  readonly code: string
  readonly reason: 'oidc_unavailable' | 'oidc_denied' | 'oidc_failed'
  /** Why TLS failed, in words. */
  readonly tls?: string
} {
  if (error instanceof openid.AuthorizationResponseError) {
    const isDenied = error.error === 'access_denied'
    return { code: codeOf(error.error), reason: isDenied ? 'oidc_denied' : 'oidc_failed' }
  }
  if (error instanceof openid.ResponseBodyError) {
    return { code: codeOf(error.error), reason: 'oidc_failed' }
  }
  const { name, code = name } = error as Error & { code?: string }
  const tls = tlsFailureOf(error)
  const isUnavailable = tls !== undefined || isNetworkError(error)
  return {
    code: codeOf(code),
    reason: isUnavailable ? 'oidc_unavailable' : 'oidc_failed',
    ...(tls !== undefined && { tls }),
  }
}

/** Whether an error, or one that caused it, is one of the network, a timeout, or an unexpected status. */
function isNetworkError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { name, code = '', cause } = error as { name?: string; code?: unknown; cause?: unknown }
  return (
    name === 'TimeoutError' ||
    /^(E[A-Z_]+|HPE_\w+|OAUTH_TIMEOUT|OAUTH_RESPONSE_IS_NOT_CONFORM)$/.test(String(code)) ||
    isNetworkError(cause)
  )
}

/** Error codes come from the provider's response, so only their form is trusted. */
const codeOf = (text: string): string => (/^\w{1,64}$/.test(text) ? text : 'unknown')
