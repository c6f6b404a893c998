import type { Software } from '../support/results-file.ts'

/** The OAuth clients that sign in, unmodified: the suite installs exactly these versions. */
export const oauthClients = {
  authlib: { name: 'Authlib', version: '1.9.10', language: 'Python' },
  cliOauth: { name: 'cli/oauth', version: '1.2.2', language: 'Go' },
  goOauth2: { name: 'golang.org/x/oauth2', version: '0.38.0', language: 'Go' },
  msalNode: { name: '@azure/msal-node', version: '7.2.3', language: 'JavaScript' },
  nimbus: { name: 'Nimbus OAuth 2.0 SDK', version: '11.39', language: 'Java' },
  oauth2Crate: { name: 'oauth2', version: '5.0.0', language: 'Rust' },
  oauth4webapi: { name: 'oauth4webapi', version: '3.8.8', language: 'JavaScript' },
  openidClient: { name: 'openid-client', version: '6.9.0', language: 'JavaScript' },
  requestsOauthlib: { name: 'requests-oauthlib', version: '2.0.0', language: 'Python' },
} as const satisfies Readonly<Record<string, Software>>

const { authlib, goOauth2, nimbus, openidClient } = oauthClients

/** The clients that exchange identity tokens. */
export const exchangingClients = {
  authlib,
  goOauth2,
  googleAuth: { name: 'google-auth', version: '2.63.0', language: 'Python' },
  nimbus,
  openidClient,
} as const satisfies Readonly<Record<string, Software>>
