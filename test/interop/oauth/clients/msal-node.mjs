import { PublicClientApplication } from '@azure/msal-node'
import { me, show } from './steps.mjs'

const { HOSTING_URL, HOSTING_CLIENT } = process.env
// MSAL works with https only, which a local service does not have.
const authority = HOSTING_URL.replace('http:', 'https:')
const names = {
  '/oauth/devicecode': '/oauth/device_authorization',
  'grant_type=device_code': 'grant_type=urn:ietf:params:oauth:grant-type:device_code',
}

/** Sends the requests of MSAL, with the names of RFC 8628 instead of those of Microsoft's own endpoints. */
const networkClient = {
  sendGetRequestAsync: (url, options) => send('GET', url, options),
  sendPostRequestAsync: (url, options) => send('POST', url, options),
}
async function send(method, url, { headers, body } = {}) {
  const path = url.replace(authority, '')
  const response = await fetch(HOSTING_URL + (names[path] ?? path), {
    method,
    headers,
    body: body?.replace(/\bgrant_type=device_code\b/, (name) => names[name]),
  })
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.json(),
  }
}

const client = new PublicClientApplication({
  auth: {
    clientId: HOSTING_CLIENT,
    authority,
    knownAuthorities: [new URL(authority).host],
    authorityMetadata: JSON.stringify({
      issuer: authority,
      authorization_endpoint: `${authority}/device`,
      token_endpoint: `${authority}/oauth/token`,
      jwks_uri: `${authority}/jwks`,
    }),
  },
  system: { networkClient, protocolMode: 'OIDC' },
})

const signIn = async (scopes) =>
  client.acquireTokenByDeviceCode({
    scopes,
    deviceCodeCallback: ({ userCode }) => show({ user_code: userCode }),
  })
// `errorCode` is `post_request_failed` for every error of the server.
const errorOf = () => signIn([]).catch((error) => error.errorMessage)

const tokens = await signIn(['sites:read', 'dns:read'])
const before = await me(tokens.accessToken)
await fetch(`${HOSTING_URL}/oauth/revoke`, {
  method: 'POST',
  body: new URLSearchParams({ token: tokens.accessToken }),
})
const after = await me(tokens.accessToken)
show({
  statuses: [before.status, after.status],
  name: before.name,
  scope: tokens.scopes.join(' '),
  denied: await errorOf(),
  expired: await errorOf(),
})
process.stdin.destroy()
