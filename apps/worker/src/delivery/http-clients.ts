import type { HttpClientName } from '@hosting/core'
import got from 'got'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import type { GuardedAgents } from './guarded-agents.ts'
import type { Target } from './target.ts'

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
