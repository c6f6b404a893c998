import createOpenApiClient from 'openapi-fetch'
import { retryingFetch } from './retrying-fetch.ts'

/** How a client connects to an API. */
export interface ConnectionOptions {
  /** The URL of the service: `https://panel.example`. */
  readonly baseUrl: string
  /** The credential of every request. */
  readonly token?: string | undefined
  /** Sends the requests; default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Headers of every request, such as `User-Agent`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How long one attempt may take, including its body, in ms; default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** Maximum number of retries of a request that is safe to retry; default: 3. */
  readonly retries?: number | undefined
  /** The longest `Retry-After` that is waited for, in ms; default: 30,000. */
  readonly retryWaitMaxMs?: number | undefined
}

/** Calls an operation and returns the body of its response. */
export type CallApi = (method: string, path: string, init?: object) => Promise<unknown>

/** How an API differs from others. */
export interface ApiRules {
  /** The path of the API, which may already be part of the given URL. */
  readonly basePath: string
  /** The operations that are sent once, as a method and a path: `POST /api/v1/auth/revoke`. */
  readonly notRetryable: RegExp
}

/** What a client uses to send requests. */
export interface ApiConnection {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  readonly call: CallApi
}

const timeoutMsDefault = 30_000
const retriesDefault = 3
const retryWaitMaxMsDefault = 30_000

/**
 * Prepares the calls of an API.
 *
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function connectApi(
  options: ConnectionOptions,
  { basePath, notRetryable }: ApiRules,
): ApiConnection {
  const baseUrl = toApiBase(options.baseUrl, basePath)
  const headers = headersOf(options)
  const fetch = options.fetch ?? globalThis.fetch
  const { request } = createOpenApiClient({
    baseUrl,
    headers,
    fetch: retryingFetch({
      fetch,
      timeoutMs: options.timeoutMs ?? timeoutMsDefault,
      retries: options.retries ?? retriesDefault,
      retryWaitMaxMs: options.retryWaitMaxMs ?? retryWaitMaxMsDefault,
      notRetryable,
    }),
  }) as unknown as { request: UntypedRequest }
  const call: CallApi = async (method, path, init = {}) => {
    // `Request` rejects a signal that is present but undefined.
    const given = Object.fromEntries(
      Object.entries(init).filter(([, value]) => value !== undefined),
    )
    return (await request(method, path, given)).data
  }
  return { baseUrl, headers, fetch, call }
}

type UntypedRequest = (method: string, path: string, init: object) => Promise<{ data?: unknown }>

function toApiBase(url: string, basePath: string): string {
  const base = new URL(url).href.replace(/\/+$/, '')
  return base.endsWith(basePath) ? base : base + basePath
}

const headersOf = ({ token, headers = {} }: ConnectionOptions): Record<string, string> => ({
  ...headers,
  ...(token !== undefined && { Authorization: `Bearer ${token}` }),
})
