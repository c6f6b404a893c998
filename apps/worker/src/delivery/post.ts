import { hostOf } from '@hosting/core/network'
import { headBytesMax, type GuardedAgents } from '@hosting/process'
import http, { type ClientRequest } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { urlToHttpOptions } from 'node:url'

/** One POST request. */
export interface Post {
  readonly target: Target
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly lookup: LookupFunction
}

/**
 * Sends one POST through a pair of agents. The body is written in one piece: a receiver may respond and reset the
 * connection before it has read the whole body, and the response must still be read.
 *
 * @throws Error if the headers are invalid.
 */
export function sendPost(
  { target, headers, body, lookup }: Post,
  agents: GuardedAgents,
): ClientRequest {
  // Node stores an array of headers without looking up each of them, which saves an eighth of the
  // CPU time.
  const all = ['host', target.url.host, 'accept-encoding', 'identity']
  for (const name in headers) all.push(name, headers[name]!)
  all.push('content-length', String(Buffer.byteLength(body)))
  const options = { ...target.options, method: 'POST', headers: all, lookup }
  const request = target.isSecure
    ? https.request({ ...options, agent: agents.https })
    : http.request({ ...options, agent: agents.http })
  request.end(body)
  return request
}

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
  return { protocol, hostname, port, path, maxHeaderSize: headBytesMax }
}
