import { BlockList, isIP } from 'node:net'
import type { Environment } from '../environment.ts'
import { usageError } from '../exit-codes.ts'

type Variables = Environment['env']

/**
 * The proxy that the environment names for a URL, as curl reads it: `https_proxy`, `http_proxy` or `all_proxy`, unless
 * `no_proxy` names the host. Each may be in upper case; lower case takes precedence.
 *
 * @returns `undefined` for a direct connection.
 * @throws a usage error, without the value, for what is not the URL of an HTTP proxy.
 */
export function findProxy(url: URL, env: Variables): URL | undefined {
  const names = [`${url.protocol.slice(0, -1)}_proxy`, 'all_proxy']
  const name = names.flatMap((each) => [each, each.toUpperCase()]).find((each) => env[each]?.trim())
  if (name === undefined || isExcluded(url, read(env, 'no_proxy'))) return undefined
  return toProxyUrl(name, env[name]!.trim())
}

const read = (env: Variables, name: string): string => env[name] || env[name.toUpperCase()] || ''

function toProxyUrl(name: string, text: string): URL {
  // As in curl, a proxy without a scheme is an HTTP proxy.
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(full) ? new URL(full) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.hostname) return url
  throw usageError('usage', `${name} is not the URL of an HTTP proxy, such as http://proxy:3128.`)
}

/** Whether an entry of `no_proxy` names the host: `*`, a domain and what is below it, an address, or a CIDR network. */
function isExcluded({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '')
  const hostPort = port || (protocol === 'https:' ? '443' : '80')
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, named = '', only] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? []
      if (only !== undefined && only !== hostPort) return false
      return entry === '*' || isNamed(named.replace(/^\[|\]$/g, '').toLowerCase(), host)
    })
}

function isNamed(entry: string, host: string): boolean {
  const [, address, prefix] = /^(.+)\/(\d+)$/.exec(entry) ?? []
  if (address !== undefined && isIP(address)) return isInNetwork(host, address, Number(prefix))
  const domain = entry.replace(/^\*?\.|\.$/g, '')
  return domain !== '' && (host === domain || (!isIP(host) && host.endsWith(`.${domain}`)))
}

function isInNetwork(host: string, address: string, prefix: number): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (isIP(host) !== isIP(address) || prefix > (family === 'ipv6' ? 128 : 32)) return false
  const network = new BlockList()
  network.addSubnet(address, prefix, family)
  return network.check(host, family)
}
