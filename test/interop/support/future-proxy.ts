import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of an API, as the API of a later release: responses have further members and values. */
export interface FutureProxy {
  readonly url: string
  close(): Promise<void>
}

/** What later releases may add: a member of every object, and new words. */
const words: Readonly<Record<string, string>> = {
  kind: 'hybrid',
  source: 'terraform',
  state: 'recovering',
  code: 'from_the_future',
}

/** Starts the proxy on a port of its own. */
export async function startFutureProxy(target: string): Promise<FutureProxy> {
  const server = createServer((req, res) => {
    void forward(target, req, res).catch((error: unknown) => res.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function forward(target: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = Buffer.concat(await req.toArray())
  const { host: _host, connection: _connection, ...headers } = req.headers
  const response = await fetch(target + req.url, {
    method: req.method!,
    headers: headers as Record<string, string>,
    ...(body.length > 0 && { body }),
  })
  const type = response.headers.get('content-type') ?? ''
  res.writeHead(response.status, type === '' ? {} : { 'content-type': type })
  res.end(type.includes('json') ? toFuture(await response.text()) : await response.text())
}

const toFuture = (text: string): string =>
  JSON.stringify(
    JSON.parse(text, (name, value: unknown) => {
      if (typeof value === 'string') return words[name] ?? value
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      return { ...value, from_a_later_release: [1] }
    }),
  )
