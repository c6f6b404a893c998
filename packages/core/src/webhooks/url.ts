import { isIP } from 'node:net'
import type { AddressPolicy, Reach } from '../network/address-policy.ts'

/** The longest webhook URL, in characters (docs/specification/webhooks.md#url). */
export const webhookUrlLengthMax = 2048

/**
 * Judges a webhook URL by its text alone, as on save (docs/specification/webhooks.md#url).
 *
 * @returns why it is refused, as a sentence for people, or `undefined` if it may be saved.
 */
export function refuseWebhookUrl(text: string, policy: AddressPolicy): string | undefined {
  if (text.length > webhookUrlLengthMax)
    return `it is longer than ${webhookUrlLengthMax} characters.`
  if (/[\s\p{Cc}\\]/u.test(text))
    return 'it contains white space, control characters or backslashes.'
  const url = URL.parse(text)
  if (!url) return 'it is not a URL.'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowsPrivate)) {
    return 'it must start with https://.'
  }
  // A browser would read `https:example.com` and `https:////example.com` too.
  const authority = /^[a-z]+:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined) return 'it is not a URL.'
  if (authority.includes('@')) return 'it must not carry credentials.'
  if (text.includes('#')) return 'it must not have a fragment.'
  if (url.port === '0') return 'port 0 cannot be connected to.'
  if (/\.(:\d*)?$/.test(authority)) return 'its host must not end with a dot.'
  return refuseHost(hostOf(url), policy)
}

/** The host of a URL, an IPv6 literal without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** How far a connection for this URL may reach (docs/specification/webhooks.md#addresses). */
export function reachOf(protocol: string, host: string): Reach {
  return protocol === 'https:' && (isIP(host) || host.includes('.')) ? 'public' : 'allowed-only'
}

function refuseHost(host: string, policy: AddressPolicy): string | undefined {
  if (isIP(host)) {
    return policy.permits(host, 'public') ? undefined : `its address ${host} is not public.`
  }
  if (/\.(localhost|local)$/.test(host)) return 'names under .localhost and .local are not public.'
  if (!host.includes('.') && !policy.allowsPrivate) return 'its host must be a name with a dot.'
  if (host.endsWith('.')) return 'its host must not end with a dot.'
  if (host.split('.').includes('')) return 'its host is not a valid name.'
  return undefined
}
