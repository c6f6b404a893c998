import type { HttpClientName } from '@hosting/core/configuration'
import { hostOf } from '@hosting/core/network'
import type { GuardedAgents } from '@hosting/process'
import got from 'got'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { urlToHttpOptions } from 'node:url'

/** One POST request, as a client needs it. */
export interface Post {
  readonly target: Target
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly lookup: LookupFunction
}

/** What a client reports while it sends one POST. */
export interface PostEvents {
  /** The request was created and has no connection yet. */
  onRequest(request: ClientRequest): void
  /** The headers of the final response arrived; `body` emits what follows. */
  onResponse(response: IncomingMessage, body: Readable): void
  /** The exchange failed, before or after the response. It may be reported more than once. */
  onError(error: Error): void
}

/**
 * Sends one POST through a pair of agents. Returns an object whose `destroy` cancels it and
 * releases its connection.
 */
export type HttpClient = (post: Post, events: PostEvents) => { destroy(): unknown }

/**
 * The HTTP clients of `WEBHOOK_HTTP_CLIENT`. They differ only in who writes the request and reads
 * the response. Connections, guard, lookups, deadline and limits are the same.
 */
export const httpClients: Readonly<Record<HttpClientName, (agents: GuardedAgents) => HttpClient>> =
  { got: createGotClient, node: createNodeClient }

function createGotClient(agents: GuardedAgents): HttpClient {
  // got checks and copies these options once, not per request.
  const client = got.extend({
    agent: { http: agents.http, https: agents.https },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
    strictContentLength: false,
    retry: { limit: 0 },
    request: requestInOnePiece,
  })
  return ({ target, headers, body, lookup }, events) => {
    const stream = client.stream.post(target.url, {
      body,
      headers: { 'accept-encoding': 'identity', ...headers },
      dnsLookup: lookup,
    })
    stream.once('request', (request: ClientRequest) => events.onRequest(request))
    stream.once('response', (response: IncomingMessage) => events.onResponse(response, stream))
    stream.on('error', events.onError)
    return stream
  }
}

/**
 * Writes the body in one piece, as Node's client does. got writes it in pieces, and if the receiver has reset the connection,
 * the second one fails before its response is read.
 */
function requestInOnePiece(
  url: URL,
  options: https.RequestOptions,
  onResponse?: (response: IncomingMessage) => void,
): ClientRequest {
  const { request } = url.protocol === 'https:' ? https : http
  const created = request(url, options, onResponse)
  const end = created.end.bind(created)
  const pieces: Buffer[] = []
  const write = (piece: string | Buffer, _encoding: unknown, done: () => void) => {
    pieces.push(Buffer.from(piece as string))
    done()
    return true
  }
  return Object.assign(created, {
    write,
    end: (done: () => void) => end(Buffer.concat(pieces), done),
  })
}

function createNodeClient(agents: GuardedAgents): HttpClient {
  return ({ target, headers, body, lookup }, events) => {
    // Node stores an array of headers without looking up each of them, which saves an eighth of the
    // CPU time.
    const all = ['host', target.url.host, 'accept-encoding', 'identity']
    for (const name in headers) all.push(name, headers[name]!)
    all.push('content-length', String(Buffer.byteLength(body)))
    const options = { ...target.options, method: 'POST', headers: all, lookup }
    const request = target.isSecure
      ? https.request({ ...options, agent: agents.https })
      : http.request({ ...options, agent: agents.http })
    events.onRequest(request)
    request.once('response', (response) => {
      response.on('error', events.onError)
      events.onResponse(response, response)
    })
    request.on('error', events.onError)
    request.end(body)
    return request
  }
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
  return { protocol, hostname, port, path }
}
