import { createClient, type ClientOptions } from '@hosting/sdk'
import { afterAll, afterEach, beforeAll } from '@jest/globals'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Responder = (response: ServerResponse) => void

/** Starts a server whose responses a test sets in order; the last one is repeated. */
export function useServer() {
  const state = { responders: [] as Responder[], requests: [] as ReceivedRequest[], baseUrl: '' }
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request
      const body = Buffer.concat(await request.toArray()).toString()
      state.requests.push({ method, url, headers, body })
      const { responders } = state
      const respond = responders.length > 1 ? responders.shift()! : responders[0]!
      respond(response)
    })()
  })
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    state.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => void state.requests.splice(0))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return Object.assign(state, {
    client: (options: Partial<ClientOptions> = {}) =>
      createClient({ baseUrl: state.baseUrl, token: 'hctl_secret', ...options }),
  })
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Responder =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))

export const problem = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Responder =>
  json(status, { code, status, title: 'Title', detail: 'Detail.', request_id: 'r-1' }, headers)

export const html: Responder = (response) =>
  response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad')

export const hangUp: Responder = (response) => void response.destroy()

/** Breaks the connection in the middle of the body. */
export const cutShort: Responder = (response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{"webhook"')
  setTimeout(() => response.destroy(), 5)
}

/** The error that a call rejects with; undefined if it succeeds. */
export const errorOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )
