import * as oauth from 'openid-client'

const service = new URL(process.env.HCTL_URL)
const config = await oauth.discovery(service, 'my tool', undefined, oauth.None())
const codes = await oauth.initiateDeviceAuthorization(config, {})
console.log(`Open ${codes.verification_uri} and check that it shows ${codes.user_code}`)

const { access_token: token } = await oauth.pollDeviceAuthorizationGrant(config, codes)
const me = new URL('/api/v1/auth/me', service)
const response = await oauth.fetchProtectedResource(config, token, me, 'GET')
console.log(`Signed in as ${(await response.json()).user.name}`)
