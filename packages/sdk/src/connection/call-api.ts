import createOpenApiClient from 'openapi-fetch'
import { retryingFetch } from './retrying-fetch.ts'
import { concealCredential, requestHeaders } from './token.ts'

/** How a client connects to an API. */
export interface ConnectionOptions {
  /** The URL of the service: `https://panel.example`, without a user name and password. */
  readonly baseUrl: string
  /** The credential of every request. White space around it is removed. */
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

/** Sends a form and returns the body of its response. */
export type SendForm = (
  path: string,
  form: Readonly<Record<string, string>>,
  signal?: AbortSignal,
) => Promise<unknown>

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
  /** Sends a form to a path of the service, outside the API. */
  readonly sendForm: SendForm
}

const timeoutMsDefault = 30_000
const retriesDefault = 3
const retryWaitMaxMsDefault = 30_000

/**
 * Prepares the calls of an API.
 *
 * @throws InvalidTokenError if the token cannot be sent, TypeError if `baseUrl` is not the URL of a service or a header
 *   cannot be sent. No message contains what was given.
 */
export function connectApi(
  options: ConnectionOptions,
  { basePath, notRetryable }: ApiRules,
): ApiConnection {
  const baseUrl = parseBaseUrl(options.baseUrl, basePath)
  const headers = requestHeaders(options.token, options.headers)
  const fetch = options.fetch ?? globalThis.fetch
  const send = retryingFetch({
    fetch,
    timeoutMs: options.timeoutMs ?? timeoutMsDefault,
    retries: options.retries ?? retriesDefault,
    retryWaitMaxMs: options.retryWaitMaxMs ?? retryWaitMaxMsDefault,
    notRetryable,
    conceal: (text) => concealCredential(text, headers),
  })
  const client = createOpenApiClient({ baseUrl, headers, fetch: send })
  const { request } = client as unknown as { request: UntypedRequest }
  const call: CallApi = async (method, path, init = {}) => {
    // `Request` rejects a signal that is present but undefined.
    const given = Object.fromEntries(
      Object.entries(init).filter(([, value]) => value !== undefined),
    )
    return (await request(method, path, given)).data
  }
  const serviceUrl = baseUrl.slice(0, -basePath.length)
  const sendForm: SendForm = async (path, form, signal) => {
    const body = new URLSearchParams(form)
    const init = { method: 'POST', headers, body, ...(signal && { signal }) }
    return (await send(new Request(serviceUrl + path, init))).json()
  }
  return { baseUrl, headers, fetch, call, sendForm }
}

type UntypedRequest = (method: string, path: string, init: object) => Promise<{ data?: unknown }>

/**
 * Returns the URL of an API: of its service, with the path of the API.
 *
 * @throws TypeError, whose message does not contain the URL: a password in it would get into logs.
 */
function parseBaseUrl(text: string, basePath: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl is not an HTTP URL.')
  if (url.username || url.password) {
    throw new TypeError(
      'baseUrl contains a user name or password, which the service does not take.',
    )
  }
  const base = url.href.replace(/\/+$/, '')
  return base.endsWith(basePath) ? base : base + basePath
}
