import { isIP } from 'node:net'
import type { AddressPolicy, Reach } from '../network/address-policy.ts'
import { hostOf } from '../network/networks.ts'
import { endpointUrlLengthMax } from './limits.ts'

/**
 * Checks a webhook URL when it is saved. Host names are resolved and checked at each connection.
 *
 * @returns the reason why it is rejected, as a sentence, or `undefined` if it is valid.
 */
export function checkEndpointUrl(text: string, policy: AddressPolicy): string | undefined {
  if (text.length > endpointUrlLengthMax)
    return `it is longer than ${endpointUrlLengthMax} characters.`
  if (/[\s\p{Cc}\\]/u.test(text))
    return 'it contains white space, control characters or backslashes.'
  const url = URL.parse(text)
  if (!url) return 'it is not a URL.'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowsPrivate)) {
    return 'it must start with https://.'
  }
  // The WHATWG parser also accepts `https:example.com` and `https:////example.com`.
  const authority = /^[a-z]+:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined) return 'it is not a URL.'
  if (authority.includes('@')) return 'it must not contain credentials.'
  if (text.includes('#')) return 'it must not have a fragment.'
  if (url.port === '0') return 'port 0 cannot be connected to.'
  if (/\.(:\d*)?$/.test(authority)) return 'its host must not end with a dot.'
  return checkHost(hostOf(url), policy)
}

/** Which addresses a connection to this URL may use (see `WEBHOOK_ALLOWED_NETWORKS`). */
export function reachOf(protocol: string, host: string): Reach {
  return protocol === 'https:' && (isIP(host) || host.includes('.')) ? 'public' : 'allowed-only'
}

/** Checks the host of a URL, an IPv6 literal without its brackets. */
function checkHost(host: string, policy: AddressPolicy): string | undefined {
  if (isIP(host)) {
    return policy.permits(host, 'public') ? undefined : `its address ${host} is not public.`
  }
  if (/\.(localhost|local)$/.test(host)) return 'names under .localhost and .local are not public.'
  if (!host.includes('.') && !policy.allowsPrivate) return 'its host must be a name with a dot.'
  if (host.endsWith('.')) return 'its host must not end with a dot.'
  if (host.split('.').includes('')) return 'its host is not a valid name.'
  return undefined
}
