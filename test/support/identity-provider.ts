import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Provider, type Configuration, type JWK } from 'oidc-provider'

/** An account at the provider. The claims are what it says about the person. */
export type ProviderAccounts = Record<string, Record<string, unknown>>

/** What an attacker changes between the panel and the provider. */
export interface ProviderChanges {
  request?(url: URL): void
  callback?(url: URL): void
}

/** A real OpenID Connect provider (oidc-provider) with a sign-in form of one field, `account`. */
export interface TestProvider {
  readonly issuer: string
  readonly clientSecret: string
  readonly accounts: ProviderAccounts
  /** Starts with new signing keys, as after a rotation. */
  start(options?: { claimsInIdToken?: boolean }): Promise<void>
  stop(): Promise<void>
  /** Responds to requests for signing keys with other keys than those that sign. */
  publishForeignKeys(): void
  /** Changes the authorization requests that it receives, or the callbacks that it redirects to. */
  whileChanging(changes: ProviderChanges, work: () => Promise<void>): Promise<void>
  /** Makes the provider claim that people authenticated some time ago. */
  dateLogins(options: { secondsAgo: number }): void
  /** All requests, as method and path. */
  readonly requests: readonly string[]
}

/** A provider on this port for the panel at this URL. It does not run until it is started. */
export function createProvider(port: number, panelUrl: string): TestProvider {
  const issuer = `http://localhost:${port}`
  const clientSecret = randomUUID()
  const accounts: ProviderAccounts = {}
  const requests: string[] = []
  let server: Server | undefined
  let foreignKeys: JWK[] | undefined
  let loginSecondsAgo = 0
  let changes: ProviderChanges = {}
  const stop = async (): Promise<void> => {
    if (!server) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
    server = undefined
  }
  return {
    issuer,
    clientSecret,
    accounts,
    requests,
    stop,
    async start({ claimsInIdToken = false } = {}) {
      await stop()
      foreignKeys = undefined
      const config = configurationOf({ panelUrl, clientSecret, accounts, claimsInIdToken })
      const provider = new Provider(issuer, config)
      const serve = provider.callback()
      server = createServer((req, res) => {
        const { pathname } = new URL(req.url!, issuer)
        requests.push(`${req.method} ${pathname}`)
        if (pathname === '/jwks' && foreignKeys) {
          sendPublicKey(res, foreignKeys[0]!)
        } else if (pathname.startsWith('/interaction/')) {
          void interact(provider, loginSecondsAgo, { req, res })
        } else {
          if (pathname === '/auth') req.url = changed(req.url!, issuer, changes.request)
          changeLocation(res, panelUrl, changes.callback)
          void serve(req, res)
        }
      })
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    async whileChanging(given, work) {
      changes = given
      try {
        await work()
      } finally {
        changes = {}
      }
    },
    dateLogins: ({ secondsAgo }) => void (loginSecondsAgo = secondsAgo),
    publishForeignKeys() {
      foreignKeys = [createKey()]
    },
  }
}

/**
 * Signs in at the provider like a browser that was redirected to `url`. Returns the callback that the provider redirects
 * to.
 */
export async function logInAt(url: string, account: string): Promise<string> {
  const jar = new Map<string, string>()
  const send = async (target: string, body?: URLSearchParams): Promise<string> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const form = body && { method: 'POST', body }
    const response = await fetch(target, { ...form, headers: { cookie }, redirect: 'manual' })
    for (const text of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(text)!
      jar.set(name!, value!)
    }
    return new URL(response.headers.get('location') ?? '', target).href
  }
  const interaction = await send(url)
  return send(await send(interaction, new URLSearchParams({ account })))
}

function sendPublicKey(res: ServerResponse, { kid, kty, n, e }: JWK): void {
  res.setHeader('content-type', 'application/jwk-set+json')
  res.end(JSON.stringify({ keys: [{ kty, n, e, kid }] }))
}

/** The path and query of a changed URL. */
function changed(target: string, base: string, change: (url: URL) => void = () => undefined) {
  const url = new URL(target, base)
  change(url)
  return url.pathname + url.search
}

/** Changes the `Location` of a redirect to the panel. */
function changeLocation(res: ServerResponse, panelUrl: string, change?: (url: URL) => void): void {
  if (!change) return
  const setHeader = res.setHeader.bind(res)
  res.setHeader = (name, value) => {
    const isCallback = /^location$/i.test(name) && String(value).startsWith(panelUrl)
    return setHeader(name, isCallback ? panelUrl + changed(String(value), panelUrl, change) : value)
  }
}

const createKey = (): JWK => ({
  ...(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    format: 'jwk',
  }) as JWK),
  kid: randomUUID(),
  use: 'sig',
  alg: 'RS256',
})

const configurationOf = ({
  panelUrl,
  clientSecret,
  accounts,
  claimsInIdToken,
}: {
  panelUrl: string
  clientSecret: string
  accounts: ProviderAccounts
  claimsInIdToken: boolean
}): Configuration => ({
  clients: [
    {
      client_id: 'panel',
      client_secret: clientSecret,
      redirect_uris: [`${panelUrl}/sign-in/oidc/callback`],
      post_logout_redirect_uris: [`${panelUrl}/sign-in`],
    },
    {
      client_id: 'public',
      token_endpoint_auth_method: 'none',
      redirect_uris: [`${panelUrl}/sign-in/oidc/callback`],
    },
  ],
  cookies: { keys: ['test'] },
  jwks: { keys: [createKey()] },
  claims: { openid: ['sub', 'user_id'], email: ['email', 'email_verified'] },
  conformIdTokenClaims: !claimsInIdToken,
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  findAccount: (_ctx, accountId) => ({
    accountId,
    claims: () => ({ sub: accountId, ...accounts[accountId] }),
  }),
  async loadExistingGrant({ oidc }) {
    const grant = new oidc.provider.Grant({
      accountId: oidc.session!.accountId!,
      clientId: oidc.client!.clientId,
    })
    grant.addOIDCScope('openid email')
    await grant.save()
    return grant
  },
})

/** The form that asks who is there. No account means that the person refuses. */
async function interact(
  provider: Provider,
  secondsAgo: number,
  { req, res }: { req: IncomingMessage; res: ServerResponse },
) {
  if (req.method === 'GET') {
    res.setHeader('content-type', 'text/html')
    res.end('<form method="post"><input name="account"><button>Log in</button></form>')
    return
  }
  const body = Buffer.concat(await req.toArray()).toString()
  const accountId = new URLSearchParams(body).get('account') ?? ''
  const ts = Math.floor(Date.now() / 1_000) - secondsAgo
  const result = accountId ? { login: { accountId, ts } } : { error: 'access_denied' }
  await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false })
}
