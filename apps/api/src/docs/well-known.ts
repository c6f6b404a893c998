import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { publicUrlOf, type Config } from '@hosting/core/configuration'
import { formatNetwork } from '@hosting/core/network'
import { deviceCodeGrant, tokenExchangeGrant } from '@hosting/core/oauth'
import { scopes } from '@hosting/core/scopes'
import type { RequestHandler } from 'express'
import { oauthBase } from '../api/routes/oauth.ts'

/** The addresses from which webhooks are sent, by family. */
export interface WebhookSources {
  readonly ipv4: readonly string[]
  readonly ipv6: readonly string[]
}

/** The configured addresses from which webhooks are sent; `undefined` if there are none. */
export function findWebhookSources({ webhookSources }: Config): WebhookSources | undefined {
  if (webhookSources.length === 0) return undefined
  const ofKind = (kind: 'ipv4' | 'ipv6'): string[] =>
    webhookSources.filter(({ first }) => first.kind() === kind).map(formatNetwork)
  return { ipv4: ofKind('ipv4'), ipv6: ofKind('ipv6') }
}

/** The paths under `/.well-known` (RFC 8615) for which something is configured. */
export function wellKnownHandlers(config: Config): Readonly<Record<string, RequestHandler>> {
  const sources = findWebhookSources(config)
  const { securityContact } = config
  const metadata = oauthMetadata(publicUrlOf(config))
  return {
    '/.well-known/oauth-authorization-server': metadata,
    '/.well-known/openid-configuration': metadata,
    ...(sources && {
      '/.well-known/webhook-sources.json': (_req, res) => {
        res.setHeader('Content-Type', 'application/json')
        res.end(JSON.stringify(sources))
      },
    }),
    ...(securityContact !== undefined && {
      '/.well-known/security.txt': (_req, res) => {
        res.setHeader('Content-Type', 'text/plain; charset=utf-8')
        res.end(securityText(securityContact, publicUrlOf(config)))
      },
    }),
  }
}

/**
 * The metadata of the OAuth endpoints (RFC 8414). Clients of OpenID Connect read it at the path of OpenID Connect
 * Discovery.
 */
function oauthMetadata(issuer: string): RequestHandler {
  const text = JSON.stringify({
    issuer,
    device_authorization_endpoint: `${issuer}${oauthBase}/device_authorization`,
    token_endpoint: `${issuer}${oauthBase}/token`,
    revocation_endpoint: `${issuer}${oauthBase}/revoke`,
    grant_types_supported: [deviceCodeGrant, tokenExchangeGrant],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: scopes,
    service_documentation: `${issuer}/docs/cli`,
  })
  return (_req, res) => {
    res.setHeader('Content-Type', 'application/json')
    res.end(text)
  }
}

/** A `security.txt` (RFC 9116). Its contents must be renewed before `Expires`, so it is always a month away. */
const securityText = (contact: string, publicUrl: string): string =>
  [
    `Contact: ${contact}`,
    `Expires: ${new Date(currentTimeMs() + monthMs).toISOString()}`,
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    'Preferred-Languages: en',
    '',
  ].join('\n')

const monthMs = 30 * dayMs
