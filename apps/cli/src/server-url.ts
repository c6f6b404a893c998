import { usageError } from './exit-codes.ts'

/** Normalizes the URL of a service to its origin and base path, for storing and comparing. */
export function toServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw usageError('server', `${text} is not the URL of a service, such as https://host.`)
  }
  return `${url.origin}${url.pathname.replace(/(\/api\/v1)?\/*$/, '')}`
}

/** Whether requests to the server cross a network without TLS. */
export function isCleartext(server: string): boolean {
  const url = new URL(server)
  return url.protocol === 'http:' && !isLoopback(url)
}

/** Whether the URL points to this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
