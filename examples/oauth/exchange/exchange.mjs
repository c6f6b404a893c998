import { readFile } from 'node:fs/promises'
import * as oauth from 'openid-client'

const service = new URL(process.env.HCTL_URL)
const config = await oauth.discovery(service, 'my job', undefined, oauth.None())
const { access_token: token } = await oauth.genericGrantRequest(
  config,
  'urn:ietf:params:oauth:grant-type:token-exchange',
  {
    subject_token: await readFile(process.env.ID_TOKEN_FILE, 'utf8'),
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  },
)
const me = new URL('/api/v1/auth/me', service)
const response = await oauth.fetchProtectedResource(config, token, me, 'GET')
console.log(await response.text())
