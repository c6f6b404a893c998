import { afterAll, beforeAll } from '@jest/globals'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The Idempotency-Keys of the requests to each path. */
type Keys = Map<string, (string | undefined)[]>

/**
 * Starts a proxy in front of an API that cuts the connection of the first request to each path when the API has
 * responded: the work is done, and the client does not know.
 */
export function useCutProxy(api: { readonly url: string }) {
  const state = { url: '', keys: new Map() as Keys }
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request
      const body = Buffer.concat(await request.toArray())
      const seen = state.keys.get(url) ?? []
      state.keys.set(url, [...seen, headers['idempotency-key'] as string | undefined])
      const { host: _host, connection: _connection, ...forwarded } = headers
      const answer = await fetch(api.url + url, {
        method,
        headers: forwarded as Record<string, string>,
        ...(body.length > 0 && { body }),
      })
      const text = await answer.text()
      if (seen.length === 0) response.destroy()
      else response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text)
    })()
  })
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return state
}
