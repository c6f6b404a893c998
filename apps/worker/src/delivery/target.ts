import { hostOf } from '@hosting/core/webhooks'
import { isIP } from 'node:net'
import { urlToHttpOptions } from 'node:url'

/** A parsed URL, as requests need it. */
export interface Target {
  readonly url: URL
  readonly isSecure: boolean
  /** Whether the host is an IP address, which needs no lookup. */
  readonly isAddress: boolean
  /** The URL as Node's request options. */
  readonly options: ReturnType<typeof toOptions>
}

const targets = new Map<string, Target>()
const targetsMax = 10_000

/** Returns the target of a URL. Caches targets, up to a limit. */
export function targetOf(text: string): Target {
  const present = targets.get(text)
  if (present) return present
  const url = new URL(text)
  const target = {
    url,
    isSecure: url.protocol === 'https:',
    isAddress: isIP(hostOf(url)) !== 0,
    options: toOptions(url),
  }
  if (targets.size >= targetsMax) targets.clear()
  targets.set(text, target)
  return target
}

const toOptions = (url: URL) => {
  const { protocol, hostname, port, path } = urlToHttpOptions(url)
  return { protocol, hostname, port, path }
}
