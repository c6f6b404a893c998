import { once } from 'node:events'
import http, { type IncomingHttpHeaders } from 'node:http'
import { serviceToken } from './environment.ts'

/** The fields of a response that tests with many requests read. */
export interface CallerResponse {
  readonly status: number
  /** From a problem document. */
  readonly code: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly ms: number
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON of any shape
  readonly body: any
}

/** What is sent with a request. */
export interface CallerOptions {
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls one API process over keep-alive connections. Does not check the responses against their schemas. */
export interface Caller {
  call(verb: string, path: string, options?: CallerOptions): Promise<CallerResponse>
  callInternal(verb: string, path: string, body?: unknown): Promise<CallerResponse>
}

/** A {@link Caller} of an API process, for tests that make hundreds of requests. */
export function callerOf({ port, internalPort }: { port: number; internalPort: number }): Caller {
  return {
    call: (verb, path, options = {}) =>
      send(verb, `http://127.0.0.1:${port}/api/v1${path}`, options),
    callInternal: (verb, path, body) =>
      send(verb, `http://127.0.0.1:${internalPort}/internal/v1${path}`, {
        token: serviceToken,
        body,
      }),
  }
}

/** A {@link Caller} of the process at these URLs. */
export const callerAt = ({ url, internalUrl }: { url: string; internalUrl: string }): Caller =>
  callerOf({ port: Number(new URL(url).port), internalPort: Number(new URL(internalUrl).port) })

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })

async function send(
  verb: string,
  url: string,
  { token, body, headers: further }: CallerOptions,
): Promise<CallerResponse> {
  const startedAt = performance.now()
  const request = http.request(url, {
    method: verb.toUpperCase(),
    agent,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...further,
    },
  })
  request.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  const text = Buffer.concat(await response.toArray()).toString()
  const parsed = text === '' ? undefined : JSON.parse(text)
  const { statusCode: status = 0, headers } = response
  return { status, code: parsed?.code, headers, ms: performance.now() - startedAt, body: parsed }
}

/** Repeats an operation `count` times with limited concurrency. */
export async function inLanes(
  count: number,
  run: (index: number) => Promise<void>,
  lanes = 8,
): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (next < count) await run(next++)
    }),
  )
}
