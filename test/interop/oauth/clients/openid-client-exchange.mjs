import * as client from 'openid-client'
import { me, show } from './steps.mjs'

const { HOSTING_URL, IDENTITY_TOKEN, WRONG_TOKEN } = process.env
const options = { execute: [client.allowInsecureRequests] }
const issuer = new URL(HOSTING_URL)
const config = await client.discovery(issuer, 'ci', undefined, client.None(), options)

const exchange = (identityToken) =>
  client.genericGrantRequest(config, 'urn:ietf:params:oauth:grant-type:token-exchange', {
    subject_token: identityToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  })

const tokens = await exchange(IDENTITY_TOKEN)
const before = await me(tokens.access_token)
await client.tokenRevocation(config, tokens.access_token)
const after = await me(tokens.access_token)
const refused = await exchange(WRONG_TOKEN).catch((error) => error.error)
show({ statuses: [before.status, after.status], name: before.name, scope: tokens.scope, refused })
process.stdin.destroy()
