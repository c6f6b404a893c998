import { scopes } from '@hosting/core/scopes'
import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { useApi } from '../../../../test/support/api.ts'
import { errorOf, oauthError } from '../support/oauth.ts'

const api = useApi({ PUBLIC_URL: 'https://panel.example/' })
const issuer = 'https://panel.example'

describe('the metadata of the OAuth endpoints', () => {
  test.each(['oauth-authorization-server', 'openid-configuration'])(
    'GET /.well-known/%s names the endpoints at PUBLIC_URL',
    async (name) => {
      const { status, headers, body } = await request(api.url).get(`/.well-known/${name}`)
      expect(status).toBe(200)
      expect(headers['content-type']).toBe('application/json')
      expect(body).toEqual({
        issuer,
        device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
        token_endpoint: `${issuer}/oauth/token`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        grant_types_supported: [
          'urn:ietf:params:oauth:grant-type:device_code',
          'urn:ietf:params:oauth:grant-type:token-exchange',
        ],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
        scopes_supported: scopes,
        service_documentation: `${issuer}/docs/cli`,
      })
    },
  )
})

describe('a path under /oauth', () => {
  test.each(['/oauth', '/oauth/', '/oauth/authorize', '/oauth/token/'])(
    '404 not_found for POST %s, as standard clients read it',
    async (path) => {
      expect(errorOf(await request(api.url).post(path))).toEqual(oauthError(404, 'not_found'))
    },
  )

  test.each(['/oauth/device_authorization', '/oauth/token', '/oauth/revoke', '/api/v1/auth/token'])(
    '405 method_not_allowed with Allow for GET %s, as standard clients read it',
    async (path) => {
      const refused = await request(api.url).get(path)
      expect(errorOf(refused)).toEqual(oauthError(405, 'method_not_allowed'))
      expect(refused.headers['allow']).toBe('POST')
    },
  )
})
