import * as oauth from 'oauth4webapi'
import { me, pressedEnter, show } from './steps.mjs'

const { HOSTING_URL, HOSTING_CLIENT } = process.env
const options = { [oauth.allowInsecureRequests]: true }
const issuer = new URL(HOSTING_URL)
const client = { client_id: HOSTING_CLIENT }
const none = oauth.None()

const metadata = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
const server = await oauth.processDiscoveryResponse(issuer, metadata)

async function signIn(parameters) {
  const started = await oauth.deviceAuthorizationRequest(server, client, none, parameters, options)
  const codes = await oauth.processDeviceAuthorizationResponse(server, client, started)
  show(codes)
  await pressedEnter()
  const polled = await oauth.deviceCodeGrantRequest(
    server,
    client,
    none,
    codes.device_code,
    options,
  )
  return oauth.processDeviceCodeResponse(server, client, polled)
}
const errorOf = () => signIn({}).catch((error) => error.error)

const tokens = await signIn({ scope: 'sites:read dns:read' })
const before = await me(tokens.access_token)
await oauth.processRevocationResponse(
  await oauth.revocationRequest(server, client, none, tokens.access_token, options),
)
const after = await me(tokens.access_token)
show({
  statuses: [before.status, after.status],
  name: before.name,
  scope: tokens.scope,
  denied: await errorOf(),
  expired: await errorOf(),
})
process.stdin.destroy()
