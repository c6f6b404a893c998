import type { Dispatcher, RequestInit as UndiciInit } from 'undici'
import type { Environment } from '../environment.ts'
import { findProxy } from './find-proxy.ts'

/**
 * Creates a `fetch` that uses the proxy of the environment. Node has this only from version 22.21 on, and only where it
 * starts with NODE_USE_ENV_PROXY.
 *
 * @param direct - used where the environment names no proxy.
 */
export function proxiedFetch(env: Environment['env'], direct: typeof fetch): typeof fetch {
  const agents = new Map<string, Dispatcher>()
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const proxy = findProxy(url, env)
    if (!proxy) return direct(input, init)
    // Loaded only here, because it would delay every command.
    const { fetch: send, ProxyAgent } = await import('undici')
    const isTunnel = url.protocol === 'https:'
    const name = `${isTunnel} ${proxy.href}`
    const agent = agents.get(name) ?? new ProxyAgent({ ...proxyOf(proxy), proxyTunnel: isTunnel })
    agents.set(name, agent)
    try {
      const settings = { ...init, dispatcher: agent } as UndiciInit
      return await send(url, settings)
    } catch (error) {
      throw init?.signal?.aborted ? error : toProxyError(error, proxy)
    }
  }
}

/** The origin of a proxy, and its credentials as a header. */
function proxyOf({ origin, username, password }: URL): { uri: string; token?: string } {
  if (username === '') return { uri: origin }
  const credentials = [username, password].map(decode).join(':')
  return { uri: origin, token: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Names the proxy, without its credentials, and what it answered, in the code that is shown. */
function toProxyError(error: unknown, { host }: URL): Error {
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  const { message, code } = cause as { message: string; code?: string }
  const [, status] = /^Proxy response \((\d+)\)/.exec(message) ?? []
  const what = status === undefined ? (code ?? 'failed') : `HTTP ${status}`
  return Object.assign(new Error('The request through a proxy failed.'), {
    code: `${what} through the proxy ${host}`,
  })
}
