import * as client from 'openid-client'
import { me, pressedEnter, show } from './steps.mjs'

const { HOSTING_URL, HOSTING_CLIENT } = process.env
const options = { execute: [client.allowInsecureRequests] }
const issuer = new URL(HOSTING_URL)
const config = await client.discovery(issuer, HOSTING_CLIENT, undefined, client.None(), options)

const start = async (parameters) => {
  const codes = await client.initiateDeviceAuthorization(config, parameters)
  show(codes)
  await pressedEnter()
  return codes
}
const errorOf = (codes) =>
  client.pollDeviceAuthorizationGrant(config, codes).catch((error) => error.error)

const tokens = await client.pollDeviceAuthorizationGrant(
  config,
  await start({ scope: 'sites:read dns:read' }),
)
const before = await me(tokens.access_token)
await client.tokenRevocation(config, tokens.access_token)
const after = await me(tokens.access_token)
show({
  statuses: [before.status, after.status],
  name: before.name,
  scope: tokens.scope,
  denied: await errorOf(await start({})),
  expired: await errorOf(await start({})),
})
process.stdin.destroy()
